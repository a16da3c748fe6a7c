"""The section ``grid`` of params.yaml: its points, all combinations of values, and its trials."""

import itertools
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.typed import Amount, Count, Name, Positive, Settings, Some
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
Below1 = Annotated[int, Meta(ge=0, lt=1)] | Annotated[float, Meta(ge=0, lt=1)]


class Grid(Settings):
    """The models to train at each point, the values of each hyper-parameter, and optionally the
    subset of points to try; None stands for all, in place of a preset's."""

    models: Some[Name]
    learning_rate: Some[Positive]
    weight_decay: Some[Amount]
    warmup: Some[Below1]
    batch_size: Some[Count]
    initial_scale: Some[Positive] | UnsetType = UNSET
    epochs: Some[Count] | UnsetType = UNSET
    subset: Some[str] | None | UnsetType = UNSET


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

    ``grid`` is a :class:`Grid` as a dictionary. Its ``subset`` names the points to keep, for a part
    of the grid that is not a product of lists.

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

    def trial_of(log: Path) -> str:
        before = log.stem.rpartition("-")[0]
        return before if before in named else log.stem

    by_trial = {trial_of(log): log for log in logs}
    if differ := by_trial.keys() ^ set(named):
        raise InputError(
            "logs: expected one of each trial of the grid, named after it. Missing, or of no "
            f"trial: {', '.join(sorted(differ))}."
        )
    return by_trial
