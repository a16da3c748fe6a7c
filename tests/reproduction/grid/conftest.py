"""Four points with logs, and the grid made of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muver.io.files import write_json, write_text
from muver.io.typed import read
from muver.reproduction.tables.grid import GridTable, make_grid
from muver.reproduction.tables.tables_settings import Grid, name_of, trials
from muver.retriever.corpus.statistics import Counts
from tests.blank import blank, jsonable

LISTS = {
    "learning_rate": [2e-5, 1e-5], "weight_decay": [0.01], "warmup": [0, 0.1], "batch_size": [32]
}  # fmt: skip
POINTS = list(map(name_of, read(Grid, {"models": ["muver"], **LISTS}).points()))
NAMES = [f"muver_{point}" for point in POINTS]
BASE: dict[str, Any] = {
    "views": {"kind": "sentences"},
    "training": {"learning_rate": 1e-5, "epochs": 2, "validation_cutoff": 8},
    "seed": 1,
}
# Validation recall of each trial at steps 2 and 4.
RECALLS = dict(zip(NAMES, [(50.0, 62.5), (75.0, 75.0), (75.0, 25.0), (25.0, 50.0)], strict=True))


def write_log(path: Path, recalls: tuple[float, ...], cutoff: int = 8) -> Path:
    lines = []
    for step in range(1, 2 * len(recalls) + 1):
        lines.append({"step": step, "epoch": 1, "loss": 1 / step, "learning_rate": 1e-5})
        if step % 2 == 0:
            recall = recalls[step // 2 - 1]
            lines.append({"step": step, "epoch": 1, f"validation_recall_at_{cutoff}": recall})
    write_text(path, "".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = tmp_path / "counts.json"
    write_json(path, blank(Counts, dataset="tiny", fingerprint="f00d"))
    return path


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """A log of each trial, in the grid's order."""
    return [
        write_log(tmp_path / "grid" / f"{name}.jsonl", recalls) for name, recalls in RECALLS.items()
    ]


@pytest.fixture
def make(tmp_path: Path, counts: Path, logs: list[Path]) -> Callable[..., dict[str, Any]]:
    """Make the grid; its JSON."""

    def make(
        logs: list[Path] = logs,
        encoder: Path | None = None,
        base: dict[str, Any] | None = None,
        start: dict[str, Any] | None = None,
        chosen: dict[str, Any] | None = None,
        **settings: Any,
    ) -> dict[str, Any]:
        grid = {"models": ["muver"], **LISTS, **settings}
        bases = {"muver": BASE} if base is None else base
        tried = trials(read(Grid, grid), start or {}, chosen or {})
        told = {"trials": tried, "start": start or {}}
        settings = read(GridTable, jsonable({"grid": grid, "base": bases, **told}))
        make_grid(logs, counts, tmp_path / "grid.csv", settings, encoder)
        return json.loads((tmp_path / "grid.json").read_text())

    return make
