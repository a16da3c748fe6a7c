"""Whole comparisons, of hand-made runs in a hand-made workspace."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.cli import main
from muver.io.errors import InputError
from muver.io.files import read_json, write_json
from muver.reproduction.doctor.compare import Ranked, compare, compare_gold, compare_lists, read
from muver.reproduction.doctor.compare_text import as_text
from tests.reproduction.doctor.made import TITLES, Project, save_run

# Gold (by title): m1 1, m2 2 (the other Bob), m3 3, m4 not found.
FIRST = {
    "m1": [(0, 9.0), (1, 8.0), (3, 7.0)],
    "m2": [(0, 5.0), (1, 4.0), (3, 3.0)],
    "m3": [(0, 5.0), (1, 4.0), (3, 3.0)],
    "m4": [(0, 5.0), (1, 4.0), (3, 3.0)],
}
# m1 2, m2 2, m3 1, m4 3
SECOND = {
    "m1": [(1, 9.5), (0, 8.0), (3, 7.0)],
    "m2": [(0, 5.0), (1, 4.0), (3, 3.0)],
    "m3": [(3, 6.0), (0, 5.0), (1, 4.0)],
    "m4": [(0, 5.0), (1, 4.0), (4, 3.5)],
}


@pytest.fixture
def project(tmp_path) -> Project:
    project = Project(tmp_path)
    project.model("one")
    return project


def named(differences) -> dict[str, tuple]:
    return {one["name"]: (one["first"], one["second"]) for one in differences}


def test_two_runs_of_ours(project):
    first = project.run("plain", FIRST)
    second = project.run("best", SECOND, aggregate="max")
    report = compare(first, second)
    assert report["recall"]["first"] == {1: 25.0, 2: 50.0}
    assert report["recall"]["second"] == {1: 25.0, 2: 75.0}
    assert report["recall"]["difference"] == {1: 0.0, 2: 25.0}
    assert report["counts"] == {"same": 1, "up": 1, "down": 1, "found": 1, "lost": 0}
    moved = {move["mention"]: (move["first"], move["second"]) for move in report["moved"]}
    assert moved == {"m3": (3, 1), "m4": (None, 3), "m1": (1, 2)}
    assert report["lists"] == {"same": 1, "ties": 0, "changed": 3}
    assert named(report["settings"]) == {"retrieve.aggregate": ("softmax_sum", "max")}
    assert report["data"] == []
    assert report["found"]
    text = as_text(report)
    assert "1 up, 1 down, 1 newly found, 0 lost, 1 the same" in text
    assert "  retrieve.aggregate  A softmax_sum  B max\n" in text
    assert "Data, versions and machine: nothing that is written down differs." in text
    assert "  m3       3  1\n" in text


def test_the_same_run_twice(project):
    first, second = project.run("plain", FIRST), project.run("again", FIRST)
    report = compare(first, second)
    assert not report["found"] and report["settings"] == report["data"] == report["moved"] == []
    assert "Settings: nothing that is written down differs." in as_text(report)


def test_ties_are_nothing_found(project):
    near = {**FIRST, "m1": [(0, 9.0), (1, 8.99999), (3, 7.0)]}
    other = {**FIRST, "m1": [(1, 9.00001), (0, 9.0), (3, 7.0)]}
    report = compare(project.run("a", near), project.run("b", other))
    assert report["counts"]["down"] == report["lists"]["ties"] == 1
    assert not report["found"]
    assert "3 the same, 1 but for equal scores, 0 changed" in as_text(report)


def test_rows_are_compared_with_their_models_and_vectors(project):
    longer = project.model("two", b"other", threads=4, epochs=5)
    first = project.run("plain", FIRST)
    second = project.run("longer", SECOND, model="two", settings=longer)
    report = compare(first, second)
    assert named(report["settings"]) == {"model.training.epochs": (3, 5)}
    data = named(report["data"])
    assert data.pop("stores.threads") == (1, 4)
    assert [*data] == ["inputs.store"]


def test_without_an_evaluation_the_manifests_are_compared(project):
    """What moves nothing is only known of rows, whose keys leave it out."""
    first = project.run("plain", FIRST)
    second = project.run("best", SECOND, aggregate="max", memory_mb=512)
    rows = [project.at("evaluations/test", system, ".json") for system in ("plain", "best")]
    for row in rows:
        evaluation = read_json(row)
        del evaluation["settings"]["retrieve"]["memory_mb"]
        write_json(row, evaluation)
    assert list(named(compare(first, second)["settings"])) == ["retrieve.aggregate"]
    rows[1].unlink()
    report = compare(first, second)
    assert named(report["settings"]) == {
        "retrieve.aggregate": ("softmax_sum", "max"),
        "retrieve.memory_mb": (256, 512),
    }
    assert report["data"] == []  # the fingerprint is known of one alone


def test_what_validation_chose_is_a_setting(project):
    first, second = project.run("plain", FIRST), project.run("tried", FIRST)
    manifest = second.with_suffix(".json")
    chosen = {"weight": 0.7, "cutoff": 64, "mentions": 4, "tried": [{"weight": 0.7}]}
    write_json(manifest, {**read_json(manifest), "chosen": chosen, "muver": "9"})
    report = compare(first, second)
    assert named(report["settings"]) == {"chosen.weight": (None, 0.7)}
    assert named(report["data"]) == {"muver": ("0.1.0", "9")}
    assert "  chosen.weight  A -  B 0.7\n" in as_text(report)


def test_a_link_is_the_run_that_it_leads_to(project):
    path = project.run("plain", FIRST)
    link = project.root / "current" / "plain.parquet"
    link.parent.mkdir()
    link.symlink_to(path)
    assert read(link)[1:] == read(path)[1:]
    assert read(link).evaluation["settings"]["system"] == "plain"


def test_title_or_id(project):
    """By title the other Bob counts for m2; by id it does not, and no score says so."""
    first = project.run("by_title", FIRST)
    second = project.run("by_id", FIRST, match="id")
    report = compare(first, second)
    assert [move["mention"] for move in report["moved"]] == ["m2"]
    assert (report["moved"][0]["first"], report["moved"][0]["second"]) == (2, None)
    assert named(report["settings"]) == {"retrieve.match": ("title", "id")}
    assert report["lists"]["same"] == 4
    assert report["found"]


def test_runs_of_other_entities_are_refused(tmp_path):
    first = save_run(tmp_path / "first.parquet", FIRST)
    second = save_run(tmp_path / "second.parquet", FIRST, [f"other {title}" for title in TITLES])
    with pytest.raises(InputError, match=r"second\.parquet.*first\.parquet"):
        compare(first, second)


def test_shared_mentions_are_compared(project, tmp_path):
    first = project.run("plain", FIRST)
    rest = {m: SECOND[m] for m in ("m4", "m3")} | {"m9": [(0, 1.0)]}
    second = save_run(tmp_path / "rest.parquet", rest)
    report = compare(first, second)
    assert report["shared"] == {"mentions": 2, "only_first": 2, "only_second": 1}
    assert "2 are in both and are compared; 2 are in A alone, 1 in B alone" in as_text(report)
    none = save_run(tmp_path / "none.parquet", {"m9": [(0, 1.0)]})
    with pytest.raises(InputError, match="no mention in common"):
        compare(first, none)


def test_deeper_runs(project):
    shallow = {mention: candidates[:1] for mention, candidates in FIRST.items()}
    first, second = project.run("short", shallow, k=1), project.run("plain", FIRST)
    report = compare(first, second)
    assert report["depth"] == 1
    assert report["moved"] == [] and not report["found"]
    assert named(report["settings"]) == {"retrieve.k": (1, 3)}


def test_command(project, tmp_path, capsys):
    first, second = project.run("plain", FIRST), project.run("best", SECOND)
    assert main(["doctor", "compare", str(first), str(first)]) == 0
    with pytest.raises(SystemExit) as ended:
        out = tmp_path / "report.json"
        main(["doctor", "compare", str(first), str(second), "--out", str(out)])
    assert ended.value.code == 1
    assert json.loads(out.read_text())["counts"]["up"] == 1
    capsys.readouterr()
    assert main(["doctor", "compare", str(first), str(Path("no.run"))]) == 2
    assert "no.run: no such file" in capsys.readouterr().err


def ranked(*pairs: tuple[int, float]) -> Ranked:
    names, scores = zip(*pairs, strict=True)
    return Ranked([("", name) for name in names], np.array(scores))


LIST = ranked((4, 9.0), (2, 8.0), (7, 7.0))
SWAPPED = ranked((4, 9.0), (7, 8.0), (2, 7.0))
NEAR = ranked((4, 9.0), (2, 8.0), (7, 7.99999))
NEAR_SWAPPED = ranked((4, 9.0), (7, 8.00001), (2, 8.0))


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        (LIST, ranked((4, 1.0), (2, 0.5), (7, 0.1)), "same"),  # the order alone counts
        (LIST, SWAPPED, "changed"),
        (NEAR, NEAR_SWAPPED, "ties"),
        (NEAR, SWAPPED, "changed"),  # near in one run only
        (LIST, ranked((4, 9.0), (2, 8.0), (3, 7.0)), "ties"),  # the cut fell among equals
        (LIST, ranked((4, 9.0), (2, 8.0), (3, 7.5)), "changed"),  # a better last one
        (LIST, ranked((4, 9.0), (3, 8.5), (2, 8.0)), "changed"),  # a newcomer above the end
    ],
)
def test_lists(first, second, kind):
    assert compare_lists(first, second, 8) == kind
    assert compare_lists(second, first, 8) == kind


def test_small_scores_are_no_ties():
    """Probabilities far below the tolerance still differ in what they say."""
    first, second = ranked((1, 2e-9), (2, 1e-9)), ranked((2, 2e-9), (1, 1e-9))
    assert compare_lists(first, second, 8) == "changed"


@given(st.permutations(range(8)), st.permutations(range(8)))
def test_without_any_difference_in_scores_every_order_is_a_tie(one, other):
    lists = (ranked(*((n, 1.0) for n in order)) for order in (one, other))
    kind = compare_lists(*lists, 8)
    assert kind == ("same" if list(one) == list(other) else "ties")


def test_gold_by_hand():
    first = {"m1": 2, "m2": 3, "m3": 0, "m4": 1, "m5": 1}
    second = {"m5": 0, "m4": 1, "m3": 2, "m2": 2, "m1": 3}
    moved = compare_gold(first, second, 3)
    assert [(m["mention"], m["first"], m["second"], m["kind"]) for m in moved] == [
        ("m5", 1, None, "lost"),  # 3 places, to one below the end
        ("m3", None, 2, "found"),
        ("m1", 2, 3, "down"),
        ("m2", 3, 2, "up"),
    ]


def test_what_the_deeper_run_finds_below_is_not_counted():
    assert compare_gold({"m": 0}, {"m": 4}, 3) == []
