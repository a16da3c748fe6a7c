"""Find the phases of a row that did not run in full precision, from its settings."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

FULL = "fp32"
PHASES = ("training", "encoding", "storage", "scores")
# Types of index that keep whole vectors, by our name or faiss's; other types quantise them.
WHOLE = re.compile(r"(hnsw\d*|flat)$", re.IGNORECASE)


def reduced_precision(settings: Mapping[str, Any]) -> dict[str, str]:
    """The precision of each phase of a row that was not computed or stored in fp32, in order.

    ``settings`` are a row's (:func:`muver.reproduction.settings.rows.row_settings`). A fusion has
    the phases of its parts. "storage" is the precision of the vectors on disk. "scores" names an
    approximate index that scores with rounded vectors; an index whose candidates are scored again
    with the vectors on disk does not count, as its agreement already shows the cost.

    >>> reduced_precision({"model": {"precision": "bf16"}, "precision": "fp32"})
    {'training': 'bf16'}
    """
    found = [pair for pair in _used(settings) if pair[1] != FULL]
    return {phase: used for phase in PHASES for of_phase, used in found if of_phase == phase}


def in_words(precision: Mapping[str, str]) -> str:
    """A result of :func:`reduced_precision` in words, such as ``training bf16, encoding bf16``."""
    return ", ".join(f"{phase} {used}" for phase, used in precision.items())


def _used(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Phase and precision of each part of a row."""
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
    for part in settings.get("parts", []):
        yield from _used(part)
