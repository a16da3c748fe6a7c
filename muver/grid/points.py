"""The points of the grid: all combinations of the hyper-parameters' values."""

import itertools
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError

SHORT = {"learning_rate": "lr", "weight_decay": "wd", "warmup": "wu", "batch_size": "bs"}
HYPERPARAMETERS = tuple(SHORT)


def points(grid: Mapping[str, Any]) -> dict[str, dict[str, float | int]]:
    """The grid's points by name (appendix A.2 of the paper).

    Parameters
    ----------
    grid
        The section ``grid`` of params.yaml (:class:`muver.grid.settings.Grid`). A ``subset`` names
        the points to keep, for a part of the grid that is not a product of lists.

    Returns
    -------
    The ``training`` settings of each point; the last hyper-parameter changes fastest.

    Raises
    ------
    InputError
        If a name in ``subset`` is not a point.

    Examples
    --------
    >>> lists = {"learning_rate": [1e-5], "weight_decay": [0.01], "warmup": [0]}
    >>> list(points({**lists, "batch_size": [64, 128]}))
    ['lr1e-05_wd0.01_wu0_bs64', 'lr1e-05_wd0.01_wu0_bs128']
    """
    # 0 and 0.0 are the same value, so settings and keys spell them the same.
    lists = [
        grid[key] if key == "batch_size" else [float(value) for value in grid[key]]
        for key in HYPERPARAMETERS
    ]
    product = (
        dict(zip(HYPERPARAMETERS, values, strict=True)) for values in itertools.product(*lists)
    )
    named = {name_of(point): point for point in product}
    subset = grid.get("subset", named)
    for name in subset:
        if name not in named:
            raise InputError(
                f"grid.subset: {name!r} is not a point of the grid.{did_you_mean(name, named)} "
                f"Names look like {next(iter(named))}."
            )
    return {name: point for name, point in named.items() if name in subset}


def name_of(point: Mapping[str, float]) -> str:
    """A point's name: unique, and usable as a file's name."""
    return "_".join(f"{short}{spelled(point[key])}" for key, short in SHORT.items())


def point_of(log: Path, named: Container[str]) -> str:
    """The point that a training log is named after: ``<point>`` or ``<point>-<key>``."""
    return log.stem if log.stem in named else log.stem.rpartition("-")[0] or log.stem


def spelled(value: float) -> str:
    """A value in as few digits as identify it.

    >>> spelled(1e-5), spelled(0.10), spelled(0.0), spelled(128)
    ('1e-05', '0.1', '0', '128')
    """
    return repr(value).removesuffix(".0")
