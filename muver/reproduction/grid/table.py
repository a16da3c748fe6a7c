"""The grid as data: validation recall of each point, the chosen point, means by value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from muver.io.files import read_json, short_hash
from muver.io.typed import Settings, overlay
from muver.reproduction.grid.points import Grid, logs_by_trial, trials
from muver.reproduction.tables.keys import row_key
from muver.reproduction.tables.records import GridResult, Mean, PointRow
from muver.reproduction.tables.render import write_table
from muver.retriever.corpus.statistics import Counts, read_counts
from muver.retriever.training.log import kept_validation

RULE = (
    "The point with the greatest recall on the validation worlds{summed} is chosen; of several, "
    "the one that stands first. The test worlds are not looked at."
)
SUMMED = ", summed over the models,"


class GridTable(Settings):
    """What ``muver stage grid`` takes: the section ``grid``, and each model's settings."""

    grid: Grid
    base: dict[str, dict[str, Any]]


def make_grid(
    logs: Sequence[Path],
    counts: Path,
    out: Path,
    settings: GridTable,
    encoder: Path | None = None,
) -> None:
    """Write ``out`` (.csv), and beside it the grid as .md, .html, .tex and .json.

    ``logs`` are those of all trials, in the order of the rows. The identity of the start encoder,
    from its manifest, becomes part of each point's settings.
    """
    further = {} if encoder is None else {"encoder": read_json(encoder)["identity"]}
    write_table(out, _build(settings, logs, read_counts(counts), further))


def _build(
    settings: GridTable, logs: Sequence[Path], data: Counts, further: Mapping[str, Any]
) -> GridResult:
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
                row_key=row_key(own, data.fingerprint),
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
        dataset=data.dataset,
        fingerprint=data.fingerprint,
        models=models,
        cutoff=cutoff,
        rule=RULE.format(summed=SUMMED if len(models) > 1 else ""),
        row_key=short_hash({"grid": shared, "settings": further, "data": data.fingerprint}),
        chosen=chosen,
        means={key: _means(rows, key) for key in rows[0].values},
        rows=rows,
    )


def _means(rows: Sequence[PointRow], key: str) -> list[Mean]:
    """Mean recall of the points that share a value, sorted by value."""
    recalls: dict[float, list[float]] = {}
    for row in rows:
        recalls.setdefault(row.values[key], []).append(row.recall)
    return [Mean(value, len(own), fmean(own)) for value, own in sorted(recalls.items())]
