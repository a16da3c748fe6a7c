"""Settings of the retrieval stages, checked where no workflow has done so."""

from collections.abc import Mapping
from typing import Any

from muver.checking import check_choices, with_defaults
from muver.errors import InputError
from muver.retrieval.exact import AGGREGATES

TOKENS = {"split": "test", "k": 64, "match": "title", "memory_mb": 256}
VECTORS = {
    **TOKENS,
    "aggregate": "max",
    "softmax_candidates": 200,
    "metric": "dot",
    "merge_layers": 0,
    "search": None,  # the name of the merged layers' search, for people
    "global_view": False,
    "spans": False,
}
CHOICES = {"match": ("title", "id"), "aggregate": AGGREGATES, "metric": ("dot", "l2")}
AT_LEAST = {"k": 1, "memory_mb": 1, "softmax_candidates": 1, "merge_layers": 0}


def check_settings(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with their defaults.

    Parameters
    ----------
    defaults
        :data:`VECTORS`, for systems that rank by stored vectors, or :data:`TOKENS` (SOM).

    Raises
    ------
    InputError
        For an unknown key or a value that is not allowed.
    """
    settings = with_defaults(given, defaults)
    check_choices(settings, CHOICES)
    for key, least in AT_LEAST.items():
        if key in settings and not (isinstance(settings[key], int) and settings[key] >= least):
            raise InputError(
                f"--settings: {key} is {settings[key]!r}, expected a whole number, at least "
                f"{least}."
            )
    return settings
