"""The grid as an entry: a parent with the chosen point, and one run a point under it."""

from pathlib import Path

from muver.reproduction.grid.points import logs_by_trial
from muver.reproduction.tables.records import GridResult, PointRow
from muver.reproduction.tracking import describe
from muver.reproduction.tracking.entries import of_settings
from muver.reproduction.tracking.entry import Data, Entry, Recording, parent


def grid_entry(grid: GridResult, source: Path, settings: Recording) -> Entry:
    """What is recorded of a grid; ``source`` is its CSV, beside .md and .json."""
    logs = logs_by_trial([row.system for row in grid.rows], list(map(Path, settings.logs)))
    points = [_point(row, grid, logs[row.system], source, settings) for row in grid.rows]
    chosen = next(point for point, row in zip(points, grid.rows, strict=True) if row.chosen)
    return parent(
        points,
        {"chosen": grid.chosen, "chosen_row_key": chosen.key},
        key=grid.row_key,
        name=f"grid of {', '.join(grid.models)}",
        metrics={**chosen.metrics, "points": len(points)},
        parameters=chosen.parameters,
        note=describe.note(grid.row_key, source.as_posix(), settings.options),
        files=[(source.with_suffix(suffix), "grid") for suffix in (".csv", ".md", ".json")],
    )


def _point(row: PointRow, grid: GridResult, log: Path, source: Path, settings: Recording) -> Entry:
    validation = f"best/validation_recall_at_{grid.cutoff}"
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
        note=describe.note(row.row_key, source.as_posix(), settings.options),
        source=source.as_posix(),
        data=Data(grid.dataset, grid.fingerprint, settings.source, "val", {}),
        columns=[
            describe.column(validation),
            describe.column("best/step"),
            *(f"params.`model.training.{key}`" for key in row.values),
        ],
        hashed={"": log},
        files=[(log, "training")],
        **of_settings(row.settings, [log], settings.benchmarks.get(row.system, {})),
    )
