"""The grid's table: validation recall of each point, the chosen point, means by value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from muver.io.files import read_json, short_hash
from muver.io.typed import overlay
from muver.reproduction.grid.points import logs_by_trial, spelled, trials
from muver.reproduction.grid.settings import GridTable
from muver.reproduction.tables.keys import row_key
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.records import GridResult, Mean, PointRow
from muver.reproduction.tables.render import write_table
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.evaluation.precision import in_words, reduced_precision
from muver.retriever.training.log import kept_validation

RULE = (
    "The point with the greatest recall on the validation worlds{summed} is chosen; of several, "
    "the one that stands first. The test worlds are not looked at."
)
SUMMED = ", summed over the models,"


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
        Training log of every trial, named after it, in the order of the rows.
    counts
        The corpus stage's counts, which have the data's fingerprint.
    encoder
        Manifest of the start encoder. Its identity becomes part of each point's settings.
    show
        Also print the grid in Markdown.
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
    models, named = settings.grid.models, trials(settings.grid.as_dict())
    cutoff = settings.base[models[0]]["training"]["validation_cutoff"]
    by_trial = logs_by_trial(named, logs)
    found = {name: kept_validation(log, cutoff) for name, log in by_trial.items()}
    totals: Counter[str] = Counter()
    for name, (recall, _) in found.items():
        totals[named[name].point] += recall
    chosen = max(totals, key=totals.__getitem__)  # the first of equals
    rows = []
    for name, (recall, step) in found.items():
        model, point, values = named[name]
        own = {"model": overlay(settings.base[model], {"training": values}), **further}
        rows.append(
            PointRow(
                method=model,
                system=name,
                row_key=row_key(own, fingerprint),
                values=values,
                recall=recall,
                step=step,
                settings=own,
                chosen=point == chosen,
            )
        )
    shared = {
        name: {
            **base,
            "training": {k: v for k, v in base["training"].items() if k not in rows[0].values},
        }
        for name, base in settings.base.items()
    }
    return GridResult(
        name="grid",
        caption=f"validation recall@{cutoff} in percent",
        dataset=dataset,
        fingerprint=fingerprint,
        models=models,
        cutoff=cutoff,
        rule=RULE.format(summed=SUMMED if len(models) > 1 else ""),
        row_key=short_hash({"grid": shared, "settings": further, "data": fingerprint}),
        chosen=chosen,
        means={key: _means(rows, key) for key in rows[0].values},
        rows=rows,
    )


def _means(rows: Sequence[PointRow], key: str) -> list[Mean]:
    """Mean recall of the points that share a value, sorted by value."""
    means = []
    for value in sorted({row.values[key] for row in rows}):
        recalls = [row.recall for row in rows if row.values[key] == value]
        means.append(Mean(value, len(recalls), fmean(recalls)))
    return means


def page(grid: GridResult) -> Page:
    """The trials with the chosen recall in bold, the sums of points, and the means by value."""
    recall, rows = f"R@{grid.cutoff}", grid.rows
    cells = [
        [
            row.method,
            *map(spelled, row.values.values()),
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
    header = ["method", *grid.means, recall, "step", "chosen", "row_key"]
    best = {(n, header.index(recall)) for n, row in enumerate(rows) if row.chosen}
    by_value = Section(
        "By value",
        f"Mean {recall} over all points with a value.",
        ["hyper-parameter", "value", "points", f"mean {recall}"],
        means,
    )
    sections = [Section("", note, header, cells, best), by_value]
    if len(grid.models) > 1:
        sections.insert(1, _by_point(grid))
    return Page(f"Grid of {', '.join(grid.models)}: {grid.caption}, {grid.dataset}", sections)


def _by_point(grid: GridResult) -> Section:
    """A line for each point: the recall of every model, and their sum, by which it is chosen."""
    lines: dict[tuple[str, ...], dict[str, PointRow]] = {}
    for row in grid.rows:
        lines.setdefault(tuple(map(spelled, row.values.values())), {})[row.method] = row
    header = [*grid.means, *grid.models, "sum"]
    cells = [
        [
            *values,
            *(f"{own[model].recall:.2f}" for model in grid.models),
            f"{sum(row.recall for row in own.values()):.2f}",
        ]
        for values, own in lines.items()
    ]
    chosen = [any(row.chosen for row in own.values()) for own in lines.values()]
    bold = {(n, len(header) - 1) for n, one in enumerate(chosen) if one}
    return Section("By point", f"R@{grid.cutoff} of each model.", header, cells, bold)
