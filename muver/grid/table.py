"""The grid's table: validation recall of each point, the chosen point, means by value."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from muver.corpus.statistics import read_counts
from muver.evaluation.precision import in_words, reduced_precision
from muver.grid.points import HYPERPARAMETERS, point_of, points, spelled
from muver.grid.settings import GridTable
from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import read_json, short_hash
from muver.io.typed import overlay
from muver.tables.keys import row_key
from muver.tables.page import Page, Section
from muver.tables.records import GridResult, Mean, PointRow
from muver.tables.render import write_table
from muver.training.log import kept_validation

RULE = (
    "The point with the greatest recall on the validation worlds is chosen; of several, the one "
    "that stands first. The test worlds are not looked at."
)


def make_grid(
    logs: Sequence[Path],
    dataset: str,
    counts: Path,
    out: Path,
    settings: GridTable,
    encoder: Path | None = None,
    show: bool = False,
) -> None:
    """Write ``out`` (.csv) and beside it the grid as .md, .html, .tex and .json.

    Parameters
    ----------
    logs
        Training log of every point, named after it, in the order of the rows.
    counts
        The corpus stage's counts, which have the data's fingerprint.
    encoder
        Manifest of the start encoder. Its identity becomes part of each point's settings.
    show
        Also print the grid in Markdown.

    Raises
    ------
    InputError
        If the logs do not fit the points, or a log has no validation at the model's cutoff.
    """
    fingerprint = read_counts(counts, dataset).fingerprint
    further = {} if encoder is None else {"encoder": read_json(encoder)["identity"]}
    grid = _build(settings, logs, dataset, fingerprint, further)
    write_table(out, grid, page(grid), show)


def _build(
    settings: GridTable,
    logs: Sequence[Path],
    dataset: str,
    fingerprint: str,
    further: Mapping[str, Any],
) -> GridResult:
    """The grid as data."""
    named, base, model = points(settings.grid.as_dict()), settings.base, settings.grid.model
    cutoff = base["training"]["validation_cutoff"]
    by_point = _by_point(named, logs)
    found = {name: kept_validation(log, cutoff) for name, log in by_point.items()}
    chosen = max(found, key=lambda name: found[name][0])  # the first of equals
    rows = []
    for name, (recall, step) in found.items():
        own = {"model": overlay(base, {"training": named[name]}), **further}
        rows.append(
            PointRow(
                method=model,
                system=name,
                row_key=row_key(own, fingerprint),
                values=named[name],
                recall=recall,
                step=step,
                settings=own,
                chosen=name == chosen,
            )
        )
    training = {k: v for k, v in base["training"].items() if k not in HYPERPARAMETERS}
    shared = {"model": {**base, "training": training}, **further}
    return GridResult(
        name="grid",
        caption=f"validation recall@{cutoff} in percent",
        dataset=dataset,
        fingerprint=fingerprint,
        model=model,
        cutoff=cutoff,
        rule=RULE,
        row_key=short_hash({"grid": model, "settings": shared, "data": fingerprint}),
        chosen=chosen,
        means={key: _means(rows, key) for key in HYPERPARAMETERS},
        rows=rows,
    )


def _by_point(named: Mapping[str, Any], logs: Sequence[Path]) -> dict[str, Path]:
    """The log of each point, in the logs' order."""
    by_point: dict[str, Path] = {}
    for log in logs:
        name = point_of(log, named)
        if name not in named:
            raise InputError(
                f"{log}: not named after a point of the grid.{did_you_mean(log.stem, named)}"
            )
        if name in by_point:
            raise InputError(f"{log}: a second log of {name}; the first is {by_point[name]}.")
        by_point[name] = log
    if missing := [name for name in named if name not in by_point]:
        raise InputError(f"--logs: no log of {', '.join(missing)}. Train these points first.")
    return by_point


def _means(rows: Sequence[PointRow], key: str) -> list[Mean]:
    """Mean recall of the points that share a value, sorted by value."""
    means = []
    for value in sorted({row.values[key] for row in rows}):
        recalls = [row.recall for row in rows if row.values[key] == value]
        means.append(Mean(value, len(recalls), fmean(recalls)))
    return means


def page(grid: GridResult) -> Page:
    """The points with the chosen recall in bold, and the means by value."""
    recall, rows = f"R@{grid.cutoff}", grid.rows
    cells = [
        [
            row.method,
            *(spelled(row.values[key]) for key in HYPERPARAMETERS),
            f"{row.recall:.2f}",
            str(row.step),
            "true" if row.chosen else "false",  # pandas reads these as booleans
            row.row_key,
        ]
        for row in rows
    ]
    means = [
        [key, spelled(mean.value), str(mean.points), f"{mean.recall:.2f}"]
        for key, of_values in grid.means.items()
        for mean in of_values
    ]
    note = f"{len(rows)} points. {grid.rule} step is where the recall was reached."
    if precision := in_words(reduced_precision(rows[0].settings)):  # all points have the same
        note += f" Not in fp32: {precision}."
    header = ["method", *HYPERPARAMETERS, recall, "step", "chosen", "row_key"]
    best = {(n, header.index(recall)) for n, row in enumerate(rows) if row.chosen}
    by_value = Section(
        "By value",
        f"Mean {recall} over all points with a value.",
        ["hyper-parameter", "value", "points", f"mean {recall}"],
        means,
    )
    return Page(
        f"Grid of {grid.model}: {grid.caption}, {grid.dataset}",
        [Section("", note, header, cells, best), by_value],
    )
