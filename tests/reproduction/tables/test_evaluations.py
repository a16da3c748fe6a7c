"""What a table is made of must belong together."""

import pytest

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.typed import read
from muver.reproduction.tables.build import build
from muver.reproduction.tables.evaluations import only_set, read_evaluations
from muver.reproduction.tables.tables_settings import TableSettings
from muver.retriever.corpus.sources import WorldCounts
from muver.retriever.corpus.statistics import Counts
from tests.blank import blank
from tests.reproduction.tables import made_sets
from tests.reproduction.tables.conftest import write_evaluations

SYSTEMS = ["bm25", "muver"]
ROWS = [{"method": system, "system": system} for system in SYSTEMS]


def both(evaluation):
    return evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3))


def test_ranks_lie_beside_an_evaluation(evaluation, write):
    found = only_set(read_evaluations(write(*both(evaluation)), SYSTEMS))
    assert found.ranks("bm25")["rank"].to_pylist() == [1, 64, 0, 0, 0, 0, 0, 0, 1, 64, 64]


def test_ranks_that_are_missing(evaluation, write):
    files = write(*both(evaluation))
    found = only_set(read_evaluations(files, SYSTEMS))
    files[0].with_suffix(".parquet").unlink()
    with pytest.raises(InputError, match=r"bm25.parquet: no such file. Run the evaluate stage"):
        found.ranks("bm25")


@pytest.mark.parametrize("content", ["[]", '{"system": "bm25"}'])
def test_a_file_of_another_kind(tmp_path, content):
    (tmp_path / "old.json").write_text(content)
    with pytest.raises(InputError, match=r"old.json: not an evaluation of this version"):
        read_evaluations([tmp_path / "old.json"], ["bm25"])


def test_worlds_without_mentions(evaluation, write, tmp_path):
    files, asked = write(*both(evaluation)), read(TableSettings, {"rows": ROWS})
    sizes = {
        "lego": ("test", 8),
        "yugioh": ("test", 3),
        "atlantis": ("none", 0),
        "quiet": ("val", 2),
    }
    worlds = {name: WorldCounts(split, 9, size) for name, (split, size) in sizes.items()}
    counts = tmp_path / "counts.json"
    write_json(counts, blank(Counts, dataset="tiny", fingerprint="f00d", worlds=worlds))
    for read_counts, expected in ((counts, ["atlantis"]), (None, [])):
        (of_set,) = build("table1", asked, files, read_counts).sets
        assert of_set.worlds_without_mentions == expected
    with pytest.raises(InputError, match=r"bm25.json: not the counts of a corpus of this version"):
        build("table1", asked, files, files[0])


def test_by_set_in_the_order_asked_for(tmp_path):
    files, sets = write_evaluations(tmp_path, made_sets.make_all()), list(made_sets.SIZES)[::-1]
    found = read_evaluations(files, list(made_sets.HITS), sets)
    assert list(found) == sets
    assert found["msnbc"].by_system.keys() == made_sets.HITS.keys()
    assert found["msnbc"].ranks("muver_wiki")["rank"].to_pylist() == [100, 100]
    with pytest.raises(
        InputError, match="evaluations on wnedwiki, msnbc, aida-testb were given, expected one set"
    ):
        only_set(found)


@pytest.mark.parametrize("replaced", [{"system": "som"}, {"set": "mnsbc"}])
def test_evaluations_that_are_missing(tmp_path, replaced):
    evaluations = made_sets.make_all()
    of = ("muver_wiki", "msnbc")
    next(one for one in evaluations if (one["system"], one["set"]) == of).update(replaced)
    files = write_evaluations(tmp_path, evaluations)
    with pytest.raises(InputError, match="no evaluation of muver_wiki on msnbc"):
        read_evaluations(files, list(made_sets.HITS), list(made_sets.SIZES))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "rows is"),
        ("bm25", "rows is 'bm25'"),
        (["bm25"], "rows.0 is 'bm25'"),
        ([{"method": "BM25"}], "rows.0.system is missing"),
        ([{"method": "B", "system": "b", "repeat": []}], "Did you mean 'repeats'"),
        ([{"method": "B", "system": "b", "repeats": "c"}], "rows.0.repeats is 'c'"),
        ([{"method": "B", "system": "b", "repeats": ["c", "c"]}], "repeats has 'c' twice"),
    ],
)
def test_rows_that_are_none(rows, message):
    with pytest.raises(InputError, match=message):
        read(TableSettings, {"rows": rows})
