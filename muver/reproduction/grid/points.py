"""The points of the grid, all combinations of the hyper-parameters' values, and its trials."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.reproduction.tables.numbers import spelled

SHORT = {
    "learning_rate": "lr",
    "weight_decay": "wd",
    "warmup": "wu",
    "batch_size": "bs",
    "initial_scale": "is",
    "epochs": "ep",
}
HYPERPARAMETERS = tuple(SHORT)
WHOLE = ("batch_size", "epochs")


class Trial(NamedTuple):
    """A training of the grid: the model, the point's name, and the point's training settings."""

    model: str
    point: str
    values: dict[str, float | int]


def trials(grid: Mapping[str, Any]) -> dict[str, Trial]:
    """Every model of the grid at every point, by a name of its own; the model changes fastest."""
    return {
        f"{model}_{name}": Trial(model, name, values)
        for name, values in points(grid).items()
        for model in grid["models"]
    }


def points(grid: Mapping[str, Any]) -> dict[str, dict[str, float | int]]:
    """The ``training`` settings of each point by its name; the last one changes fastest.

    ``grid`` is the section of params.yaml (:class:`muver.reproduction.grid.settings.Grid`). Its
    ``subset`` names the points to keep, for a part of the grid that is not a product of lists.

    >>> lists = {"learning_rate": [1e-5], "weight_decay": [0.01], "warmup": [0]}
    >>> list(points({**lists, "batch_size": [64, 128]}))
    ['lr1e-05_wd0.01_wu0_bs64', 'lr1e-05_wd0.01_wu0_bs128']
    """
    # 0 and 0.0 are the same value, so settings and keys spell them the same.
    lists = {
        key: grid[key] if key in WHOLE else [float(value) for value in grid[key]]
        for key in HYPERPARAMETERS
        if key in grid
    }
    product = itertools.product(*lists.values())
    points = (dict(zip(lists, values, strict=True)) for values in product)
    named = {name_of(point): point for point in points}
    subset = grid.get("subset") or named
    for name in subset:
        if name not in named:
            raise InputError(
                f"grid.subset: {name!r} is not a point of the grid.{did_you_mean(name, named)} "
                f"Names look like {next(iter(named))}."
            )
    return {name: point for name, point in named.items() if name in subset}


def name_of(point: Mapping[str, float]) -> str:
    """A point's name: unique, and usable as a file's name."""
    return "_".join(f"{SHORT[key]}{spelled(value)}" for key, value in point.items())


def logs_by_trial(named: Collection[str], logs: Sequence[Path]) -> dict[str, Path]:
    """The log of each trial, called ``<trial>`` or ``<trial>-<key>``, in the logs' order."""
    by_trial: dict[str, Path] = {}
    for log in logs:
        name = log.stem if log.stem in named else log.stem.rpartition("-")[0] or log.stem
        if name not in named:
            raise InputError(
                f"{log}: not named after a trial of the grid.{did_you_mean(log.stem, named)}"
            )
        if name in by_trial:
            raise InputError(f"{log}: a second log of {name}; the first is {by_trial[name]}.")
        by_trial[name] = log
    if missing := [name for name in named if name not in by_trial]:
        raise InputError(f"logs: no log of {', '.join(missing)}. Train these first.")
    return by_trial
