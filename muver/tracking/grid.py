"""The grid as entries: a parent with the chosen point, and one run a point under it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from muver.grid.points import HYPERPARAMETERS, spelled
from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.tracking import describe, notes
from muver.tracking.curves import curves
from muver.tracking.entry import Data, Entry
from muver.tracking.files import by_stage
from muver.tracking.timings import timings
from muver.training.log import kept_validation


def grid_entry(
    grid: Mapping[str, Any],
    source: Path,
    logs: Sequence[Path],
    benchmarks: Sequence[tuple[str, Path]] = (),
    settings: Mapping[str, Any] | None = None,
) -> Entry:
    """What is recorded of a grid.

    Parameters
    ----------
    grid
        JSON of the grid.
    source
        Path of its CSV, as the workflow names it; .md and .json lie beside it.
    logs
        Training logs, each named after its point.
    benchmarks
        ``point:stage`` and Snakemake's benchmark file of that stage.
    settings
        ``source`` of the dataset, ``options`` of a call of snakemake.

    Raises
    ------
    InputError
        If a point has no log, or not the one its number was read from.
    """
    by_point = {log.stem: log for log in logs}
    names = [row["system"] for row in grid["rows"]]
    if unknown := [name for name in by_point if name not in names]:
        raise InputError(
            f"--logs: {unknown[0]} is not a point of the grid.{did_you_mean(unknown[0], names)}"
        )
    if missing := [name for name in names if name not in by_point]:
        raise InputError(f"--logs: no log of {', '.join(missing)}.")
    settings = settings or {"source": "", "options": ""}
    data = Data(grid["dataset"], grid["fingerprint"], settings["source"], "val", {})
    timed = by_stage(benchmarks)
    points = [
        replace(
            _point(row, grid, by_point[row["system"]], source),
            data=data,
            timings=timings(timed.get(row["system"], {}).items()),
        )
        for row in grid["rows"]
    ]
    chosen = points[names.index(grid["chosen"])]
    return Entry(
        key=grid["row_key"],
        name=f"grid of {grid['model']}",
        tags={
            **_tags(grid, grid["rows"][names.index(grid["chosen"])]),
            "role": "parent",
            "chosen": chosen.name,
            "chosen_row_key": chosen.key,
            "config_hash": short_hash([point.key for point in points]),
        },
        metrics={**chosen.metrics, "points": len(points)},
        parameters=chosen.parameters,
        note=f"{_note(grid, chosen)}\n\n"
        + notes.how_to(source.as_posix(), None, settings["options"]),
        source=source.as_posix(),
        data=data,
        files=[(source.with_suffix(suffix), "grid") for suffix in (".csv", ".md", ".json")],
        children=points,
    )


def _point(row: Mapping[str, Any], grid: Mapping[str, Any], log: Path, source: Path) -> Entry:
    if kept_validation(log, grid["cutoff"]) != (row["recall"], row["step"]):
        raise InputError(
            f"{log}: not the log that the grid was made from. Run the grid stage again."
        )
    values = ", ".join(f"{key} {spelled(row[key])}" for key in HYPERPARAMETERS)
    return Entry(
        key=row["row_key"],
        name=row["system"],
        tags={**_tags(grid, row), "system": row["system"], "chosen": str(row["chosen"]).lower()},
        metrics={
            f"best_validation_recall_at_{grid['cutoff']}": row["recall"],
            "best_step": row["step"],
        },
        parameters=describe.parameters(row["settings"]),
        note=f"**{grid['model']}** on {grid['dataset']} with {values}: row `{row['row_key']}` of "
        f"`{source.as_posix()}`. Validation only.",
        source=source.as_posix(),
        curves=curves(log),
        hashed={"": log},
        files=[(log, "training")],
        texts={"configuration.yaml": yaml.safe_dump(row["settings"], sort_keys=False)},
    )


def _tags(grid: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, str]:
    return {
        **describe.precision(row["settings"]),
        "method": grid["model"],
        "dataset": grid["dataset"],
        "data_fingerprint": grid["fingerprint"],
    }


def _note(grid: Mapping[str, Any], chosen: Entry) -> str:
    lines = [
        [key, spelled(mean["value"]), f"{mean['recall']:.2f}", str(mean["points"])]
        for key, of_values in grid["means"].items()
        for mean in of_values
    ]
    shown = notes.grid(lines, ["setting", "value", f"mean R@{grid['cutoff']}", "points"])
    return (
        f"**Grid of {grid['model']}** on {grid['dataset']}, {len(grid['rows'])} points below this "
        f"run. Chosen: `{chosen.name}`, whose parameters are this run's. {grid['rule']}\n\n"
        f"Mean validation recall@{grid['cutoff']} by value:\n\n{shown}"
    )
