"""Which rows are not in full precision, told from their settings."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

FULL = "fp32"
PHASES = ("training", "encoding", "storage", "scores")
# Types of index that keep whole vectors, by our name or faiss's; the others keep codes of them.
WHOLE = re.compile(r"(hnsw\d*|flat)$", re.IGNORECASE)


def reduced_precision(settings: Mapping[str, Any]) -> dict[str, str]:
    """What of a row was not computed, or stored, in fp32.

    Parameters
    ----------
    settings
        Of a row (:func:`muver.settings.rows.row_settings`); of a fusion, its parts' count.

    Returns
    -------
    The precision by phase, in the order in which they happen; empty for a row all in fp32, or one
    without a model. Of "storage" it is that of the vectors on disk. "scores" names an approximate
    index whose rounded vectors the scores are of: where what it finds is scored again by the
    vectors on disk, its codes decide only what is looked at, which its agreement tells.

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
