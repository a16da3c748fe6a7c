"""The grid as data: validation recall of each point, the chosen point, means by value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

from muver.io.files import read_json, short_hash
from muver.io.progress import logger
from muver.io.text import spelled
from muver.io.typed import Settings, overlay
from muver.reproduction.tables.evaluations import row_key
from muver.reproduction.tables.paper import NOTES
from muver.reproduction.tables.records import GridResult, Mean, PointRow
from muver.reproduction.tables.render import write_table
from muver.reproduction.tables.tables_settings import (
    Grid,
    Trial,
    logs_by_trial,
    name_of,
)
from muver.retriever.corpus.statistics import Counts, read_counts
from muver.retriever.training.log import kept_validation

SUMMED = ", summed over the models,"
MOST_EPOCHS = 5  # to which a list is widened


class GridTable(Settings):
    """What ``muver stage grid`` takes: the section ``grid``, its trials, each model's settings, and
    the values from which the grid starts where one is varied at a time."""

    grid: Grid
    trials: dict[str, Trial]
    base: dict[str, dict[str, Any]]
    start: dict[str, Any] = {}


def make_grid(
    logs: Sequence[Path],
    counts: Path,
    out: Path,
    settings: GridTable,
    encoder: Path | None = None,
) -> None:
    """Compare the points of the grid by their validation recall and choose one.

    Writes ``out`` (.csv), and beside it .md, .html, .tex and .json.

    ``logs`` are those of all trials, in the order of the rows. The identity of the start encoder,
    from its manifest, becomes part of each point's settings.
    """
    further = {} if encoder is None else {"encoder": read_json(encoder)["identity"]}
    write_table(out, _build(settings, logs, read_counts(counts), further))


def _build(
    settings: GridTable, logs: Sequence[Path], data: Counts, further: Mapping[str, Any]
) -> GridResult:
    models, each = settings.grid.models, settings.grid.one_at_a_time
    cutoff = settings.base[models[0]]["training"]["validation_cutoff"]
    by_trial = logs_by_trial(settings.trials, logs)
    found = {name: kept_validation(log, cutoff) for name, log in by_trial.items()}
    recalls = {name: recall for name, (recall, _) in found.items()}
    chosen, advice = _each(settings, recalls) if each else (_together(settings, recalls), "")
    names = (f"{model}_{point}" if each else point for model, point in chosen.items())
    rows = []
    for name, (recall, step) in found.items():
        trial = settings.trials[name]
        model, values = trial
        trained = {"model": overlay(settings.base[model], {"training": values}), **further}
        rows.append(PointRow(
            method=model, system=name, row_key=row_key(trained, data.fingerprint), values=values,
            recall=recall, step=step, settings=trained, chosen=trial.point == chosen[model],
        ))  # fmt: skip
    shared = {}  # by all points
    for model, base in settings.base.items():
        kept = base["training"].keys() - rows[0].values.keys()
        shared[model] = {**base, "training": {key: base["training"][key] for key in kept}}
    return GridResult(
        name="grid",
        caption=f"validation recall@{cutoff} in percent",
        dataset=data.dataset,
        fingerprint=data.fingerprint,
        models=models,
        cutoff=cutoff,
        rule=NOTES["each" if each else "together"].format(summed=SUMMED if len(models) > 1 else ""),
        row_key=short_hash({"grid": shared, "settings": further, "data": data.fingerprint}),
        chosen=", ".join(dict.fromkeys(names)),
        each=each,
        advice=advice,
        means={} if each else {key: _means(rows, key) for key in rows[0].values},
        rows=rows,
    )


def _together(settings: GridTable, recalls: Mapping[str, float]) -> dict[str, str]:
    """By model, the one point for all: that with the greatest sum of their recall."""
    totals: Counter[str] = Counter()
    for name, recall in recalls.items():
        totals[settings.trials[name].point] += recall
    # The first of equals
    return dict.fromkeys(settings.grid.models, max(totals, key=totals.__getitem__))


def _each(settings: GridTable, recalls: Mapping[str, float]) -> tuple[dict[str, str], str]:
    """A point for each model, found one hyper-parameter after the other, and what to do about them.

    A model whose settings do not have the values that are chosen lacks the trials of what follows:
    it gets its point so far.
    """
    grid, chosen, lines, wider = settings.grid, {}, {}, []
    for model in settings.grid.models:
        point = settings.start
        lines[model] = {"training": {}}
        for key, values in grid.lists.items():
            points = {f"{model}_{name_of(tried)}": tried for tried in grid.turn(point, key)}
            if not points.keys() <= recalls.keys():
                break
            name = max(points, key=recalls.__getitem__)  # the first of equals
            point, chosen[model] = points[name], settings.trials[name].point
            if len(values) > 1:
                lines[model]["training"][key] = point[key]
                wider += _wider(model, key, point[key], values)
    preset = yaml.safe_dump({"models": lines}, default_flow_style=True, width=1e9, sort_keys=False)
    advice = [f"The choices, for the preset's file: {preset.strip()}", *wider]
    varied = sum(len(values) > 1 for values in grid.lists.values())
    if unfinished := [model for model in lines if len(lines[model]["training"]) < varied]:
        advice.append(f"With these, make the grid again for the rest of {', '.join(unfinished)}.")
    for sentence in advice:
        logger.info("%s", sentence)
    return chosen, " ".join(advice)


def _wider(model: str, key: str, value: float, values: Sequence[float]) -> list[str]:
    """A sentence where the chosen value stands at an end of its list, and what to add to it."""
    whole = key == "epochs"
    further = None
    if value == max(values):
        further = value + 1 if whole else value * 2
    elif value == min(values) and not whole:
        further = value / 2
    if further is None or (whole and further > MOST_EPOCHS):
        return []
    return [f"{model}: {key} is at the end of its list. Add {spelled(further)} to grid.{key}."]


def _means(rows: Sequence[PointRow], key: str) -> list[Mean]:
    """Mean recall of the points that share a value, sorted by value."""
    means = []
    for value in sorted({row.values[key] for row in rows}):
        recalls = [row.recall for row in rows if row.values[key] == value]
        means.append(Mean(value=value, points=len(recalls), recall=fmean(recalls)))
    return means
