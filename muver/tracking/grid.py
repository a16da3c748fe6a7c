"""The grid as an entry: a parent with the chosen point, and one run a point under it."""

from collections.abc import Mapping
from pathlib import Path

from muver.grid.points import spelled, trial_of
from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.tables.records import GridResult, PointRow
from muver.tracking import describe, notes
from muver.tracking.entries import of_settings
from muver.tracking.entry import Data, Entry, parent
from muver.tracking.files import stages_of
from muver.tracking.settings import Recording
from muver.training.log import kept_validation


def grid_entry(grid: GridResult, source: Path, settings: Recording) -> Entry:
    """What is recorded of a grid.

    Parameters
    ----------
    source
        Path of its CSV, as the workflow names it; .md and .json lie beside it.

    Raises
    ------
    InputError
        If a point has no log, or not the one its number was read from.
    """
    names = [row.system for row in grid.rows]
    by_point = {trial_of(log, names): log for log in map(Path, settings.logs)}
    if unknown := [name for name in by_point if name not in names]:
        raise InputError(
            f"logs: {unknown[0]} is not a point of the grid.{did_you_mean(unknown[0], names)}"
        )
    if missing := [name for name in names if name not in by_point]:
        raise InputError(f"logs: no log of {', '.join(missing)}.")
    data = Data(grid.dataset, grid.fingerprint, settings.source, "val", {})
    stages, name = stages_of(settings), source.as_posix()
    points = [
        _point(row, grid, by_point[row.system], name, data, stages.get(row.system, {}))
        for row in grid.rows
    ]
    chosen = next(point for point, row in zip(points, grid.rows, strict=True) if row.chosen)
    return parent(
        points,
        {"chosen": grid.chosen, "chosen_row_key": chosen.key},
        key=grid.row_key,
        name=f"grid of {', '.join(grid.models)}",
        metrics={**chosen.metrics, "points": len(points)},
        parameters=chosen.parameters,
        note=f"{_note(grid, chosen)}\n\n{notes.how_to(name, options=settings.options)}",
        files=[(source.with_suffix(suffix), "grid") for suffix in (".csv", ".md", ".json")],
    )


def _point(
    row: PointRow,
    grid: GridResult,
    log: Path,
    source: str,
    data: Data,
    stages: Mapping[str, Path],
) -> Entry:
    if kept_validation(log, grid.cutoff) != (row.recall, row.step):
        raise InputError(
            f"{log}: not the log that the grid was made from. Run the grid stage again."
        )
    validation = f"best/validation_recall_at_{grid.cutoff}"
    values = ", ".join(f"{key} {spelled(value)}" for key, value in row.values.items())
    return Entry(
        key=row.row_key,
        name=row.system,
        tags={
            **describe.precision(row.settings),
            "method": row.method,
            "dataset": grid.dataset,
            "data_fingerprint": grid.fingerprint,
            "system": row.system,
            "chosen": str(row.chosen).lower(),
        },
        metrics={validation: row.recall, "best/step": row.step},
        note=f"**{row.method}** on {grid.dataset} with {values}: row `{row.row_key}` of "
        f"`{source}`. Validation only.",
        source=source,
        data=data,
        columns=[
            describe.column(validation),
            describe.column("best/step"),
            *(f"params.`model.training.{key}`" for key in row.values),
        ],
        hashed={"": log},
        files=[(log, "training")],
        **of_settings(row.settings, [log], stages),
    )


def _note(grid: GridResult, chosen: Entry) -> str:
    lines = [
        [key, spelled(mean.value), f"{mean.recall:.2f}", str(mean.points)]
        for key, means in grid.means.items()
        for mean in means
    ]
    shown = notes.grid(["setting", "value", f"mean R@{grid.cutoff}", "points"], lines)
    return (
        f"**Grid of {', '.join(grid.models)}** on {grid.dataset}, {len(grid.rows)} points below "
        f"this run. Chosen: `{grid.chosen}`, whose parameters are this run's. {grid.rule}\n\n"
        f"Mean validation recall@{grid.cutoff} by value:\n\n{shown}"
    )
