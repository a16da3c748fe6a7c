"""Two runs of the same mentions, compared by hand."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.cli import main
from muver.io.errors import InputError
from muver.io.typed import read_record
from muver.retriever.evaluation.agreement import Agreement, agreement
from muver.retriever.runs.run import write_run

World = dict[str, list[tuple[int, float]]]  # mention: its ranked entities with their scores


def save(path: Path, ranked: World, world: str = "reef", title: str = "title {}") -> Path:
    rows = [
        (mention, rank, entity, score)
        for mention, candidates in ranked.items()
        for rank, (entity, score) in enumerate(candidates, start=1)
    ]
    ids, ranks, entities, scores = (list(column) for column in zip(*rows, strict=True))
    titles = [title.format(entity) for entity in entities]
    none = [-1] * len(rows)
    write_run(path, ids, [world] * len(rows), ranks, entities, titles, scores, none, none, none)
    return path


FIRST = {
    "m1": [(4, 9.0), (2, 8.0), (7, 7.0)],
    "m2": [(1, 5.0), (0, 4.0), (3, 3.0)],
    "m3": [(5, 2.0), (6, 1.0)],  # a world of few
    "m4": [(8, 1.0)],
}
SECOND = {  # in another order
    "m4": [(9, 1.0)],  # nothing in common
    "m3": [(5, 2.0), (6, 1.25)],  # the same list
    "m2": [(0, 4.5), (1, 4.0), (2, 1.0)],  # two swapped, another third
    "m1": [(4, 9.0), (7, 7.5), (2, 7.0)],  # the same set
}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    return save(tmp_path / "a.parquet", FIRST), save(tmp_path / "b.parquet", SECOND)


def test_by_hand(runs):
    assert agreement(*runs) == Agreement(
        mentions=4,
        depth=3,
        identical=25.0,  # m3
        same_first=50.0,  # m1, m3
        overlap={1: 50.0, 3: pytest.approx(100 * (3 / 3 + 2 / 3 + 2 / 2 + 0) / 4)},
        common=7,
        greatest_difference=1.0,
        mean_difference=pytest.approx((0 + 1.0 + 0.5 + 1.0 + 0.5 + 0 + 0.25) / 7),
    )


def test_runs_of_another_depth_are_compared_as_far_as_both_go(runs, tmp_path):
    short = {mention: candidates[:1] for mention, candidates in SECOND.items()}
    found = agreement(runs[0], save(tmp_path / "short.parquet", short))
    assert (found.depth, found.overlap) == (1, {1: 50.0})
    assert found.identical == found.same_first == 50.0


def test_depths_that_are_told(tmp_path):
    ranked = {"m": [(entity, -float(entity)) for entity in range(200)]}
    swapped = {"m": [*ranked["m"][100:], *ranked["m"][:100]]}
    found = agreement(save(tmp_path / "a.pq", ranked), save(tmp_path / "b.pq", swapped))
    assert found.overlap == {1: 0.0, 10: 0.0, 64: 0.0, 200: 100.0}
    assert (found.identical, found.greatest_difference) == (0.0, 0.0)


@settings(max_examples=20, deadline=None)  # files are written
@given(st.lists(st.permutations(range(12)), min_size=1, max_size=5), st.randoms())
def test_a_run_agrees_with_itself_and_either_way_round(tmp_path_factory, orders, random):
    folder = tmp_path_factory.mktemp("runs")
    ranked = {f"m{n}": [(e, float(-e)) for e in order] for n, order in enumerate(orders)}
    own = save(folder / "a.parquet", ranked)
    found = agreement(own, own)
    assert found.identical == found.same_first == 100.0
    assert found.overlap == {1: 100.0, 10: 100.0, 12: 100.0}
    assert found.greatest_difference == found.mean_difference == 0.0
    other = {name: random.sample(candidates, 12) for name, candidates in ranked.items()}
    shuffled = save(folder / "b.parquet", other)
    assert agreement(own, shuffled) == agreement(shuffled, own)


def test_nothing_in_common(tmp_path):
    runs = (save(tmp_path / f"{n}.parquet", {"m": [(n, 1.0)]}) for n in range(2))
    found = agreement(*runs)
    assert (found.common, found.greatest_difference, found.mean_difference) == (0, 0, 0)


FEWER = {name: FIRST[name] for name in ("m1", "m4")}


def test_runs_that_cannot_be_compared(runs):
    first, second = runs
    for other, named in (
        ({"ranked": FEWER}, "mentions"),
        ({"ranked": FIRST, "title": "x"}, "what"),
    ):
        save(second, **other)
        for pair in ((first, second), (second, first)):
            with pytest.raises(InputError, match=named):
                agreement(*pair)
    write_run(second, *([[]] * 9))
    with pytest.raises(InputError, match="b.parquet"):
        agreement(second, second)


def test_the_command(runs, tmp_path, capsys):
    out = tmp_path / "out" / "agreement.json"
    assert main(["agree", *map(str, runs), "--out", str(out)]) == 0
    assert json.loads(out.read_text())["runs"] == list(map(str, runs))
    assert read_record(out, Agreement, "", "") == agreement(*runs)
    printed = [line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert printed == [
        ["mentions", "4"],
        ["depth", "3"],
        ["identical", "25"],
        ["same first", "50"],
        ["overlap.1", "50"],
        ["overlap.3", "66.667"],
        ["common", "7"],
        ["greatest difference", "1"],
        ["mean difference", "0.46429"],
    ]
    assert main(["agree", str(runs[0]), str(tmp_path / "missing.parquet")]) == 2
    assert "missing.parquet: no such file" in capsys.readouterr().err
