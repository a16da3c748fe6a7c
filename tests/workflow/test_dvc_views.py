"""DVC's own views of a run and of an experiment: metrics, plots, parameters."""

import pytest

from tests.workflow.conftest import BUILT

MODEL = f"{BUILT}/models/muver/entity_encoder/model.safetensors"
CURVES = "Table 1, recall at k"


@pytest.fixture(scope="module")
def experiment(by_dvc, tmp_path_factory):
    """The finished project after one experiment, with what DVC said meanwhile.

    Of its two changes one has no effect, because the preset sets the same key.
    """
    project = by_dvc.copy(tmp_path_factory.mktemp("experiment") / "copy")
    said = project.run("dvc", "exp", "run", "-S", "merge.top_k=0.2", "-S", "retrieve.k=5")
    project.notes = {"said": said}
    return project


def test_an_experiment_runs_what_depends_on_it_and_trains_nothing(by_dvc, experiment):
    for stage in ("corpus", "segment", "encoder", "train", "encode"):
        assert f"Stage '{stage}' didn't change, skipping" in experiment.notes["said"]
    ran = experiment.finished(experiment.notes["said"])
    assert {"merge", "retrieve", "evaluate", "table1", "metrics"} <= ran
    assert not {"corpus", "segment", "train", "encode", "bm25"} & ran
    trained = [(project.folder / MODEL).stat().st_mtime_ns for project in (by_dvc, experiment)]
    assert trained[0] == trained[1]
    assert experiment.read("results/table1.csv") != by_dvc.read("results/table1.csv")  # its key
    # Of all results' tables, which are still there, the page was made anew in the end.
    assert experiment.planned().keys() <= {"latest"}


def test_metrics_are_the_numbers_of_the_table(by_dvc):
    shown = by_dvc.shown_by_dvc("metrics", "show", "metrics/miniwikia/table1")
    files = shown[""]["data"] if "" in shown else shown["workspace"]["data"]
    rows = {row["row_key"]: row for row in by_dvc.lines("results/table1.csv")}
    made = by_dvc.json("results/table1.json")["rows"]
    systems = {row["row_key"]: row["system"] for row in made}
    assert len(files) == len(rows) == 3
    for key, row in rows.items():
        numbers = files[f"metrics/miniwikia/table1/{systems[key]}.json"]["data"]
        for k in (1, 2, 4, 8, 16):
            assert numbers[f"R@{k:02}"] == pytest.approx(float(row[f"R@{k}"]), abs=0.006)


def test_metrics_differ_where_views_were_merged_and_nowhere_else(experiment):
    files = experiment.shown_by_dvc("metrics", "diff", "--all")
    files = files.get("diff", files)
    names = {"table1/bm25", "table1/muver_plain", "table1/muver", "table6/muver"}
    assert set(files) == {f"metrics/miniwikia/{name}.json" for name in names}
    for name in ("bm25", "muver_plain"):
        changes = files[f"metrics/miniwikia/table1/{name}.json"]
        assert set(changes) == {"R@01", "R@02", "R@04", "R@08", "R@16"}
        assert all(change["old"] == change["new"] for change in changes.values())


def test_the_changed_parameters_are_all_that_differs(experiment):
    differ = experiment.shown_by_dvc("params", "diff")
    differ = differ.get("diff", differ)
    assert {key: (v["old"], v["new"]) for key, v in differ["params.yaml"].items()} == {
        "merge.top_k": (0.4, 0.2),
        "retrieve.k": (64, 5),
    }


def test_curves_of_two_revisions_stand_in_one_plot(experiment):
    (plot,) = experiment.shown_by_dvc("plots", "diff")["data"][CURVES]
    assert sorted(plot["revisions"]) == ["HEAD", "workspace"]
    points = plot["content"]["data"]["values"]
    methods = {"BM25", "MuVER (w/o heuristic search)", "MuVER"}
    assert {(point["row"], point["rev"]) for point in points} == {
        (method, revision) for method in methods for revision in ("HEAD", "workspace")
    }
    assert {int(point["k"]) for point in points} == {1, 2, 4, 8, 16}


def test_plots_are_written_as_a_page(experiment):
    """DVC's page loads Vega from the network; the numbers themselves stand in it."""
    assert "index.html" in experiment.run("dvc", "plots", "show")
    page = experiment.read("dvc_plots/index.html").decode()
    assert "MuVER (w/o heuristic search)" in page


def test_a_key_that_the_preset_sets_is_told(experiment):
    assert (
        "params.yaml: retrieve.k was changed to 5, which has no effect: presets/miniwikia.yaml "
        "sets 16. Change retrieve.k there instead."
    ) in experiment.notes["said"]
