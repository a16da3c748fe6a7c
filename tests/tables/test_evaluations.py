"""What a table is made of must belong together."""

import json

import pytest

from muver.io.errors import InputError
from muver.tables.evaluations import read_evaluations, read_rows

SYSTEMS = ["bm25", "muver"]


def both(evaluation, **replaced):
    return evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3), **replaced)


def test_ranks_lie_beside_an_evaluation(evaluation, write):
    found = read_evaluations(write(*both(evaluation)), SYSTEMS)
    assert found.ranks("bm25")["rank"].to_pylist() == [1, 64, 0, 0, 0, 0, 0, 0, 1, 64, 64]


def test_ranks_that_are_missing_or_of_another_run(evaluation, write):
    files = write(*both(evaluation))
    found = read_evaluations(files, SYSTEMS)
    files[0].with_suffix(".parquet").write_bytes(files[1].with_suffix(".parquet").read_bytes())
    with pytest.raises(InputError, match=r"bm25.parquet: has the hits .* from other parameters"):
        found.ranks("bm25")
    files[0].with_suffix(".parquet").unlink()
    with pytest.raises(InputError, match=r"bm25.parquet: no such file. Run the evaluate stage"):
        found.ranks("bm25")


@pytest.mark.parametrize(
    ("key", "value"), [("dataset", "other"), ("fingerprint", "beef"), ("mentions", 12)]
)
def test_evaluations_of_different_data_are_refused(evaluation, write, key, value):
    files = write(*both(evaluation, **{key: value}))
    with pytest.raises(InputError, match=f"of muver: {key} is {value}, .* from other parameters"):
        read_evaluations(files, SYSTEMS)


def test_evaluations_of_different_worlds_are_refused(evaluation, write):
    """Of another split with as many mentions."""
    bm25, muver = both(evaluation)
    muver["worlds"]["muppets"] = muver["worlds"].pop("lego")
    with pytest.raises(InputError, match="of muver: worlds is .*muppets"):
        read_evaluations(write(bm25, muver), SYSTEMS)


def test_evaluations_and_systems_must_match(evaluation, write):
    files = write(*both(evaluation))
    with pytest.raises(InputError, match="no evaluation of muver was given"):
        read_evaluations(files[:1], SYSTEMS)
    with pytest.raises(InputError, match="evaluations of muver were given, which have no row"):
        read_evaluations(files, SYSTEMS[:1])
    with pytest.raises(InputError, match="two evaluations of bm25"):
        read_evaluations([*files, files[0]], SYSTEMS)


@pytest.mark.parametrize("content", ["[]", '{"system": "bm25"}'])
def test_a_file_of_another_kind(tmp_path, content):
    (tmp_path / "old.json").write_text(content)
    with pytest.raises(InputError, match=r"old.json: not an evaluation of this version"):
        read_evaluations([tmp_path / "old.json"], ["bm25"])


def test_worlds_without_mentions(evaluation, write, tmp_path):
    files = write(*both(evaluation))
    worlds = {
        "lego": {"split": "test", "mentions": 8},
        "yugioh": {"split": "test", "mentions": 3},
        "atlantis": {"split": "none", "mentions": 0},  # as the corpus stage counts it
        "quiet": {"split": "val", "mentions": 2},
    }
    counts = tmp_path / "counts.json"
    content = {"dataset": "tiny", "fingerprint": "f00d", "mentions": {}, "entities": {}}
    content["identified_as"] = None
    counts.write_text(json.dumps({**content, "worlds": worlds}))
    assert read_evaluations(files, SYSTEMS, counts).without_mentions == ["atlantis"]
    assert read_evaluations(files, SYSTEMS).without_mentions == []
    counts.write_text(counts.read_text().replace("f00d", "beef"))
    with pytest.raises(InputError, match="counts of other data than the evaluations'"):
        read_evaluations(files, SYSTEMS, counts)
    with pytest.raises(
        InputError, match=r"bm25.json: not the counts of a corpus .*\(no entities\)"
    ):
        read_evaluations(files, SYSTEMS, files[0])


def test_rows():
    row = {"method": "BM25", "system": "bm25"}
    assert read_rows([row], {"repeats": []}) == [{**row, "note": None, "repeats": []}]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows is empty: a table needs at least one row"),
        ("bm25", "rows is empty"),
        (["bm25"], "a row must be an object with method, not 'bm25'"),
        ([{"method": "BM25"}], "needs a system"),
        ([{"method": "B", "system": "b", "repeat": []}], "'repeat'. Did you mean 'repeats'"),
        ([{"method": "B", "system": "b", "repeats": "c"}], "list of other systems, each once"),
        ([{"method": "B", "system": "b", "repeats": ["b"]}], "list of other systems, each once"),
        ([{"method": "B", "system": "b", "repeats": ["c", "c"]}], "repeats of b must be"),
    ],
)
def test_rows_that_are_none(rows, message):
    with pytest.raises(InputError, match=message):
        read_rows(rows, {"repeats": []})
