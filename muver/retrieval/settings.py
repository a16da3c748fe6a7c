"""Settings of the retrieval stages, checked where no workflow has done so."""

from collections.abc import Mapping
from typing import Any

from muver.io.checking import check_choices, check_whole, with_defaults
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
    check_whole(settings, AT_LEAST)
    return settings
