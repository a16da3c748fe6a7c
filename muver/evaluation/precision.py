"""Which rows are not all in full precision, as their settings say."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

FULL = "fp32"
PHASES = ("training", "encoding", "storage", "scores")
# Types of index that keep whole vectors, by our name or faiss's; the others keep codes of them.
WHOLE = re.compile(r"(hnsw\d*|flat)$", re.IGNORECASE)


def reduced_precision(settings: Mapping[str, Any]) -> dict[str, str]:
    """What was not computed or stored in fp32 for a row.

    Parameters
    ----------
    settings
        Of a row (:func:`muver.settings.rows.row_settings`); of a fusion, its parts' count.

    Returns
    -------
    The precision by phase, in the order in which the phases happen; empty for a row all in fp32 or
    without a model. "storage" is the precision of the vectors on disk. "scores" names an
    approximate index that scores with rounded vectors. An index whose finds are scored again with
    the vectors on disk is not named: its agreement says what its rounding costs.

    Examples
    --------
    >>> reduced_precision({"model": {"precision": "bf16"}, "precision": "fp32"})
    {'training': 'bf16'}
    """
    found = [pair for pair in _used(settings) if pair[1] != FULL]
    return {phase: used for phase in PHASES for own, used in found if own == phase}


def in_words(precision: Mapping[str, str]) -> str:
    """A result of :func:`reduced_precision` in words, such as ``training bf16, encoding bf16``."""
    return ", ".join(f"{phase} {used}" for phase, used in precision.items())


def _used(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Phase and precision of everything that a row is made of."""
    if "precision" in settings:
        yield "encoding", settings["precision"]
    model = settings.get("model", {})
    for trained in model.get("best_of", {"": model}).values():
        if "precision" in trained:
            yield "training", trained["precision"]
    if "dtype" in settings:
        yield "storage", settings["dtype"]
    index = settings.get("index")
    rescored = settings.get("retrieve", {}).get("rescore", True)
    if index is not None and not rescored and not WHOLE.search(index["factory"]):
        yield "scores", f"of {index['factory']}"
    for part in settings.get("parts", {}).values():
        yield from _used(part)
