"""What MLflow holds of each kind of entry is frozen in a file: users search for these names.

``FREEZE=1 pytest tests/reproduction/tracking/test_frozen.py`` writes the file anew after a change
on purpose.
"""

import json
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from mlflow import MlflowClient

from muver.reproduction.tables.stage import make_table
from tests.reproduction.grid.conftest import BASE, counts, logs, make
from tests.reproduction.tables import made_sets
from tests.reproduction.tables.conftest import ZESHEL, write
from tests.reproduction.tables.conftest import make as make_evaluation
from tests.reproduction.tracking.conftest import active, record
from tests.reproduction.tracking.test_entries import write_linked

__all__ = ["counts", "logs", "make", "write"]  # fixtures
FROZEN = Path(__file__).with_name("frozen.json")
# Of this checkout and moment, or prose.
VOLATILE = ("git_", "mlflow.source", "mlflow.user", "mlflow.note", "muver_version", "mlflow.parent")
VOLATILE += ("recorded_at",)
LOG = (
    '{"step": 1, "epoch": 1, "loss": 2.0, "learning_rate": 0.1, "gradient_norm": 1.5}\n'
    '{"step": 1, "epoch": 1, "validation_recall_at_64": 50.0}\n'
)


def zeshel(system: str, hits: int, seed: int = 1, **settings: Any) -> dict[str, Any]:
    own = {"system": system, "seed": seed, "retrieve": {"split": "test", "k": 64}, **settings}
    views = {"views_per_entity": 9.5, "run_sha256": sha256(b"").hexdigest()}
    return make_evaluation(system, (hits, 8), (1, 3), **ZESHEL, settings=own, **views)


def of_a_table(folder: Path, name: str, table: str, evaluations, write, **settings: Any) -> None:
    """Make a table and record it, with the training log and a benchmark of muver."""
    paths = write(*evaluations)
    make_table(table, paths, folder / f"{table}.csv", settings)
    runs = [path.with_suffix(".run") for path in paths]
    for run in runs:
        run.touch()
    (folder / "training_log.jsonl").write_text(LOG)
    (folder / "train.tsv").write_text("s\tmax_rss\tmean_load\n2.5\t100\t90\n")
    figures = [folder / "figure.svg"] if table == "table3" else []
    for figure in figures:
        figure.touch()
    record(
        folder / "recorded.csv", table=folder / f"{table}.json",
        evaluations=[*zip(paths, runs, strict=True)],
        artifacts={"muver": [folder / "training_log.jsonl"]}, figures=figures,
        benchmarks={"muver": {"train": folder / "train.tsv"}},
        settings={"experiment": name, "source": "https://example.org/data"},
    )  # fmt: skip


def seeds(folder: Path, name: str, write: Callable, make: Callable, logs: list[Path]) -> None:
    rows = [
        {"method": "BLINK (128 tokens)", "system": "blink_128"},
        {"method": "MuVER", "system": "muver", "repeats": ["muver_seed7"]},
    ]
    some = [zeshel("blink_128", 1), zeshel("muver", 4, precision="bf16")]
    some.append(zeshel("muver_seed7", 6, 7, precision="bf16"))
    of_a_table(folder, name, "table1", some, write, rows=rows, against="blink_128")


def sweep(folder: Path, name: str, write: Callable, make: Callable, logs: list[Path]) -> None:
    merge = {"pairs": "distant", "among": "neighbours"}
    some = [zeshel("muver", 1), zeshel("one", 4, merge=merge), zeshel("two", 5, merge=merge)]
    rows = [
        {"method": "MuVER", "system": "muver", "merge_layers": 0, "search": None},
        {"method": "MuVER", "system": "one", "merge_layers": 1, "search": "distant"},
        {"method": "MuVER", "system": "two", "merge_layers": 2, "search": "distant"},
    ]
    of_a_table(folder, name, "table3", some, write, rows=rows, cutoff=64)


def sets(folder: Path, name: str, write: Callable, make: Callable, logs: list[Path]) -> None:
    paths, runs = write_linked(folder, made_sets.of_the_paper())
    (folder / "training_log.jsonl").write_text(LOG)
    (folder / "search.tsv").write_text("s\tmax_rss\n2.5\t100\n")
    record(
        folder / "recorded.csv", table=folder / "table2.json",
        evaluations=[*zip(paths, runs, strict=True)],
        artifacts={"muver_wiki": [folder / "training_log.jsonl"]},
        benchmarks={"muver_wiki": {"search_msnbc": folder / "search.tsv"}},
        settings={"experiment": name, "source": "raw/wikipedia"},
    )  # fmt: skip


def grid(folder: Path, name: str, write: Callable, make: Callable, logs: list[Path]) -> None:
    make()
    settings = {"experiment": name}
    record(folder / "recorded.csv", table=folder / "grid.json", logs=logs, settings=settings)


def held(client: MlflowClient, name: str) -> list[dict[str, Any]]:
    """What the experiment's runs hold, by name."""

    def files(run: str, folder: str | None = None) -> list[str]:
        found = []
        for one in client.list_artifacts(run, folder):
            found += files(run, one.path) if one.is_dir else [one.path]
        return [path for path in found if not path.endswith("changes.diff")]

    by_name = sorted(active(client, name), key=lambda run: run.info.run_name)
    runs = {run.info.run_id: run for run in by_name}
    names = {run: one.info.run_name for run, one in runs.items()}
    return [
        {
            "name": run.info.run_name,
            "parent": names.get(run.data.tags.get("mlflow.parentRunId")),
            "metrics": dict(sorted(run.data.metrics.items())),
            "steps": {
                metric: steps
                for metric in sorted(run.data.metrics)
                if (steps := [p.step for p in client.get_metric_history(id, metric)]) != [0]
            },
            "params": dict(sorted(run.data.params.items())),
            "tags": {
                tag: value
                for tag, value in sorted(run.data.tags.items())
                if not tag.startswith(VOLATILE)
            },
            "inputs": [
                [*vars(one.dataset).values(), *(tag.value for tag in one.tags)]
                for one in run.inputs.dataset_inputs
            ],
            "files": sorted(files(id)),
        }
        for id, run in runs.items()
    ]


@pytest.mark.parametrize("kind", [seeds, sweep, sets, grid], ids=lambda kind: kind.__name__)
def test_what_a_run_holds_stays_and_a_repeat_changes_nothing(
    kind, client: MlflowClient, name: str, tmp_path: Path, monkeypatch, write, make, logs
):
    monkeypatch.chdir(tmp_path)
    Path("dvc.lock").touch()
    kind(tmp_path, name, write, make, logs)
    frozen = json.loads(FROZEN.read_text())
    if "FREEZE" in os.environ:
        frozen[kind.__name__] = held(client, name)
        FROZEN.write_text(json.dumps(frozen, indent=1, ensure_ascii=False) + "\n")
    assert held(client, name) == frozen[kind.__name__]
    before = [run.to_dictionary() for run in active(client, name)]
    listed = (tmp_path / "recorded.csv").read_text()
    kind(tmp_path, name, write, make, logs)
    assert [run.to_dictionary() for run in active(client, name)] == before
    assert (tmp_path / "recorded.csv").read_text() == listed


def test_points_that_were_not_trained_in_fp32_are_marked(
    client: MlflowClient, name: str, tmp_path: Path, make, logs
):
    make(base={"muver": {**BASE, "precision": "bf16"}})
    settings = {"experiment": name}
    record(tmp_path / "recorded.csv", table=tmp_path / "grid.json", logs=logs, settings=settings)
    assert [run.data.tags["precision"] for run in active(client, name)] == ["training bf16"] * 5
