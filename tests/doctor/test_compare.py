"""Whole comparisons, of hand-made runs in a hand-made workspace."""

import json
from pathlib import Path

import pytest

from muver.cli import main
from muver.doctor.compare import compare
from muver.doctor.compare_text import as_text
from muver.doctor.origin import Origin
from muver.doctor.settings import Comparison
from muver.io.errors import InputError
from tests.doctor.made import GOLD, TITLES, Project, save_run, save_trec
from tests.grid.conftest import write_log

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
    made = Project(tmp_path)
    made.model("one")
    return made


def causes(report) -> list[str]:
    return [cause["cause"] for cause in report["causes"] if cause["explains"]]


def test_two_runs_of_ours(project):
    first = project.run("plain", FIRST)
    second = project.run("best", SECOND, aggregate="max")
    report = compare(first, second)
    assert report["recall"]["cutoffs"] == [1, 2]
    assert report["recall"]["first"] == {1: 25.0, 2: 50.0}
    assert report["recall"]["second"] == {1: 25.0, 2: 75.0}
    assert report["recall"]["difference"] == {1: 0.0, 2: 25.0}
    assert report["counts"] == {
        "same": 1, "up": 1, "down": 1, "found": 1, "lost": 0, "ties": 0,
    }  # fmt: skip
    moved = {move["mention"]: (move["first"], move["second"]) for move in report["moved"]}
    assert moved == {"m3": (3, 1), "m4": (None, 3), "m1": (1, 2)}
    assert report["lists"] == {"same": 1, "ties": 0, "changed": 3}
    assert causes(report) == ["how views make an entity's score"]
    assert report["damaged"] == []
    assert report["found"]
    text = as_text(report)
    assert "1 up, 1 down, 1 newly found, 0 lost, 1 the same" in text
    assert "retrieve.aggregate: A softmax_sum, B max" in text
    assert "docs/fidelity.md#score-of-an-entity" in text


def test_the_same_run_twice(project):
    first, second = project.run("plain", FIRST), project.run("again", FIRST)
    report = compare(first, second)
    assert not report["found"] and report["causes"] == []
    assert "Nothing that is written down of how the two were made differs." in as_text(report)


def test_ties_are_nothing_found(project):
    near = {**FIRST, "m1": [(0, 9.0), (1, 8.99999), (3, 7.0)]}
    other = {**FIRST, "m1": [(1, 9.00001), (0, 9.0), (3, 7.0)]}
    report = compare(project.run("a", near), project.run("b", other))
    assert report["counts"]["ties"] == report["counts"]["down"] == 1
    assert report["lists"]["ties"] == 1
    assert not report["found"]
    assert "1 moved among scores that differ by less than 1e-05" in as_text(report)
    strict = compare(
        project.at("runs/test", "a", ".parquet"),
        project.at("runs/test", "b", ".parquet"),
        settings=Comparison(tolerance=0),
    )
    assert strict["found"]


def test_models_are_followed_to_their_settings_and_weights(project):
    longer = project.model("two", b"other", epochs=5)
    first = project.run("plain", FIRST)
    second = project.run("longer", SECOND, model="two", settings=longer)
    report = compare(first, second)
    assert causes(report) == ["length of training", "other weights", "vectors"]
    [fact] = report["causes"][0]["facts"]
    assert fact == {"name": "model.training.epochs", "first": 3, "second": 5}


def test_which_state_was_kept_is_read_from_the_log(project):
    settings = project.model("two", b"other", keep="last")
    for name, note in (("one", '{"best_step": 2}'), ("two", '{"last_step": 4}')):
        log = write_log(project.at("models", name) / "training_log.jsonl", (90.0, 80.0))
        log.write_text(f"{log.read_text()}{note}\n")
    first = project.run("plain", FIRST)
    second = project.run("last", SECOND, model="two", settings=settings)
    cause = compare(first, second)["causes"][0]
    assert cause["cause"] == "which state of a training was kept"
    assert {"name": "kept.step", "first": 2, "second": 4} in cause["facts"]


def test_the_catalog_names_the_model(project):
    project.model("two", b"other")
    path = project.run("plain", FIRST, model="two")
    origin = Origin.of(path)
    assert (origin.system, origin.folders["models"]) == ("plain", project.at("models", "two"))
    link = project.root / "current" / "plain.parquet"
    link.parent.mkdir()
    link.symlink_to(path)
    assert Origin.of(link) == origin == Origin.of(project.at("evaluations/test", "plain", ".run"))
    assert origin.evaluation.settings["system"] == "plain"


def test_title_or_id(project):
    """By title the other Bob counts for m2; by id it does not, and no score says so."""
    first = project.run("by_title", FIRST)
    second = project.run("by_id", FIRST, match="id")
    report = compare(first, second)
    assert [move["mention"] for move in report["moved"]] == ["m2"]
    assert (report["moved"][0]["first"], report["moved"][0]["second"]) == (2, None)
    assert report["scores"] == "same"
    assert causes(report) == ["gold counted by title or by id"]
    assert report["found"]


def test_ours_and_a_trec_file(project, tmp_path):
    first = project.run("plain", FIRST)
    ours = save_trec(project.at("evaluations/test", "plain", ".run"), FIRST)
    assert not compare(first, ours)["found"]
    for names in (
        [f"D{n}" for n in range(6)],
        [t if n != 2 else "D2" for n, t in enumerate(TITLES)],
    ):
        if "D2" in names and "Ann" in names:
            names[2] = "Bob"  # equal titles are one candidate
        theirs = save_trec(tmp_path / "theirs.run", SECOND, names)
        report = compare(first, theirs)
        assert report["counts"]["up"] == report["counts"]["down"] == 1
        assert "Nothing is written down of how B was made" in as_text(report)


def test_names_that_nobody_knows(project, tmp_path):
    theirs = save_trec(tmp_path / "theirs.run", SECOND, [f"Q{n}" for n in range(6)])
    with pytest.raises(InputError, match="candidates are no entities of these data"):
        compare(project.run("plain", FIRST), theirs)
    alone = save_run(tmp_path / "alone.parquet", FIRST)
    with pytest.raises(InputError, match="give the --entities"):
        compare(alone, theirs)


def test_two_foreign_runs_with_qrels(tmp_path):
    names = [f"doc-{letter}" for letter in "abcdef"]
    first = save_trec(tmp_path / "a.run", FIRST, names)
    second = save_trec(tmp_path / "b.run", SECOND, names)
    unknown = compare(first, second)
    assert "recall" not in unknown and unknown["lists"]["changed"] == 3
    assert "give --mentions or --qrels" in as_text(unknown)
    qrels = tmp_path / "gold.txt"
    qrels.write_text("".join(f"{m} 0 {names[gold]} 1\n" for m, gold in GOLD.items()))
    report = compare(first, second, qrels=qrels)
    # without titles the other Bob is another candidate: m2 is not found
    assert report["recall"]["second"] == {1: 25.0, 2: 50.0}
    assert report["moved"][0]["gold"].startswith("doc-")


def test_an_edited_run_is_told(project):
    first, second = project.run("plain", FIRST), project.run("best", FIRST)
    save_run(second, SECOND)
    report = compare(first, second)
    assert [damage["kind"] for damage in report["damaged"]] == ["edited"]
    assert "not the file that was evaluated" in as_text(report)


def test_mixed_stores_are_told(project):
    first, second = project.run("plain", FIRST), project.run("best", FIRST)
    project.model("one", b"encoded again")
    report = compare(first, second)
    assert [damage["kind"] for damage in report["damaged"]] == ["mixed"]
    assert "two stores are mixed" in report["damaged"][0]["says"]
    assert report["found"]


def test_a_model_trained_again_is_told(project):
    first, second = project.run("plain", FIRST), project.run("best", FIRST)
    project.model("one", epochs=9)
    [damage] = compare(first, second)["damaged"]
    assert "model.training.epochs is 9, the row was evaluated with 3" in damage["says"]


def test_pooling_that_the_encoder_decides_is_no_other_model(project):
    """The row's settings say auto, the model's what that came to."""
    settings = {**project.model("one"), "pooling": "auto"}
    first, second = (project.run(name, FIRST, settings=settings) for name in ("plain", "best"))
    assert compare(first, second)["damaged"] == []


def test_shared_mentions_are_compared(project, tmp_path):
    first = project.run("plain", FIRST)
    rest = {m: SECOND[m] for m in ("m4", "m3")} | {"m9": [(0, 1.0)]}
    second = save_run(tmp_path / "rest.parquet", rest)
    report = compare(first, second)
    assert report["shared"] == {"mentions": 2, "only_first": 2, "only_second": 1}
    assert "2 are in both and are compared; 2 are in A alone, 1 in B alone" in as_text(report)
    assert report["recall"]["mentions"] == 2
    none = save_run(tmp_path / "none.parquet", {"m9": [(0, 1.0)]})
    with pytest.raises(InputError, match="no mention in common"):
        compare(first, none)


def test_deeper_runs(project):
    shallow = {mention: candidates[:1] for mention, candidates in FIRST.items()}
    first, second = project.run("short", shallow, k=1), project.run("plain", FIRST)
    report = compare(first, second)
    assert report["depth"] == 1
    assert report["deeper"] == [0, 2]
    assert report["moved"] == [] and not report["found"]
    assert report["causes"][0]["cause"] == "depth of the lists"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ('{"cutoff": [1]}', "unknown key cutoff"),
        ('{"cutoffs": [0]}', "cutoffs.0 is 0"),
        ('{"tolerance": -1}', "tolerance is -1"),
        ('{"match": "name"}', "match is 'name'"),
    ],
)
def test_settings(settings, says, capsys):
    assert main(["doctor", "compare", "a.run", "b.run", "--settings", settings]) == 2
    assert says in capsys.readouterr().err


def test_command(project, tmp_path, capsys):
    first, second = project.run("plain", FIRST), project.run("best", SECOND)
    assert main(["doctor", "compare", str(first), str(first)]) == 0
    with pytest.raises(SystemExit) as ended:
        out = tmp_path / "report.json"
        main(["doctor", "compare", str(first), str(second), "--json", str(out)])
    assert ended.value.code == 1
    assert json.loads(out.read_text())["counts"]["up"] == 1
    capsys.readouterr()
    assert main(["doctor", "compare", str(first), str(Path("no.run"))]) == 2
    assert "no.run: no such file" in capsys.readouterr().err
    assert main(["doctor", "compare", str(first), str(first.with_suffix(".json"))]) == 2
    assert "give the run itself" in capsys.readouterr().err
