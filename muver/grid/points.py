"""The points of the grid: every value of each hyper-parameter with every value of the others."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muver.io.checking import did_you_mean
from muver.io.errors import InputError

# Each with the start of its part of a point's name, what its values must be, and how that is told.
_RULES: dict[str, tuple[str, Callable[[Any], bool], str]] = {
    "learning_rate": ("lr", lambda value: value > 0, "a number above 0"),
    "weight_decay": ("wd", lambda value: value >= 0, "a number of at least 0"),
    "warmup": ("wu", lambda value: 0 <= value < 1, "a number from 0 to below 1"),
    "batch_size": (
        "bs",
        lambda value: isinstance(value, int) and value >= 1,
        "a whole number of at least 1",
    ),
}
HYPERPARAMETERS = tuple(_RULES)


def points(grid: Mapping[str, Any]) -> dict[str, dict[str, float | int]]:
    """The grid's points by name (appendix A.2 of the paper).

    Parameters
    ----------
    grid
        Lists of values under ``learning_rate``, ``weight_decay``, ``warmup`` and ``batch_size``:
        a part of the paper's grid is asked for by shorter lists. ``subset``, if there, names the
        points to keep of it, for a part that is no product of lists. Other keys are not looked at.

    Returns
    -------
    What each point sets in the section ``training``, the last hyper-parameter changing fastest.

    Raises
    ------
    InputError
        For a list that is missing, empty or has a value twice, for a value out of range, and for
        a name in ``subset`` that is not a point.

    Examples
    --------
    >>> lists = {"learning_rate": [1e-5], "weight_decay": [0.01], "warmup": [0]}
    >>> list(points({**lists, "batch_size": [64, 128]}))
    ['lr1e-05_wd0.01_wu0_bs64', 'lr1e-05_wd0.01_wu0_bs128']
    """
    lists = [_values(grid, key) for key in HYPERPARAMETERS]
    product = (
        dict(zip(HYPERPARAMETERS, values, strict=True)) for values in itertools.product(*lists)
    )
    named = {name_of(point): point for point in product}
    subset = grid.get("subset")
    if subset is None:
        return named
    _check_subset(subset, named)
    return {name: point for name, point in named.items() if name in subset}


def name_of(point: Mapping[str, float]) -> str:
    """A point's name: fit for a file, and another for every other point."""
    return "_".join(f"{_RULES[key][0]}{spelled(point[key])}" for key in HYPERPARAMETERS)


def spelled(value: float) -> str:
    """A value in the fewest digits that tell it from every other one.

    >>> spelled(1e-5), spelled(0.10), spelled(0.0), spelled(128)
    ('1e-05', '0.1', '0', '128')
    """
    return repr(value).removesuffix(".0")


def _values(grid: Mapping[str, Any], key: str) -> Sequence[float]:
    values = grid.get(key)
    if not isinstance(values, list) or not values:
        raise InputError(f"grid.{key}: expected a list of at least one value, not {values!r}.")
    _, allowed, expected = _RULES[key]
    for value in values:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or not allowed(value):
            hint = " (YAML reads 1e-5 as text; write 1.0e-5)" if isinstance(value, str) else ""
            raise InputError(f"grid.{key}: expected {expected}, not {value!r}{hint}.")
    for value in values:
        if values.count(value) > 1:
            raise InputError(f"grid.{key}: {value!r} stands there twice. Leave one out.")
    # 0 and 0.0 are one value, so they get one spelling in settings and keys.
    return values if key == "batch_size" else [float(value) for value in values]


def _check_subset(subset: Any, named: Mapping[str, Any]) -> None:
    if not isinstance(subset, list) or not subset:
        raise InputError(f"grid.subset: expected a list of points' names, not {subset!r}.")
    for name in subset:
        if name not in named:
            raise InputError(
                f"grid.subset: {name!r} is not a point of the grid."
                f"{did_you_mean(str(name), named)} A name is made like {next(iter(named))}."
            )
