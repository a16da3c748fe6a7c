"""Check that a run's approximate index agrees well enough with exact search."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from muver.io.errors import InputError
from muver.io.typed import Record


class Best(Record):
    """The share of mentions for which exact search's best entity was found."""

    found: float


class Index(Record):
    """A run's index and its agreement with exact search, measured on a sample of mentions."""

    factory: str  # the index's type, as faiss spells it
    agreement: float  # the result of `reached`
    recall: float  # share of exact search's k entities that the index finds
    best: Best
    k: int
    mentions: int
    knob: str | None  # the search setting, such as nprobe, whose value is effort
    effort: int | None


def reached(measured: Mapping[str, Any]) -> float:
    """The lesser of recall and the share of best entities found.

    A graph may always miss the best entity if its vector's norm is an outlier, and recall of a
    hundred entities hardly shows it.

    >>> reached({"recall": 0.99, "best": {"found": 0.9}})
    0.9
    """
    return min(measured["recall"], measured["best"]["found"])


def index_of(manifest: Mapping[str, Any]) -> Index | None:
    """The index of a run, from its manifest; None if it was searched exactly."""
    if "index" not in manifest:
        return None
    agreed = manifest["agreement"]
    own = {"factory": manifest["index"], "agreement": reached(agreed)}
    return msgspec.convert(agreed | own, Index)


def require(
    place: Path, factory: str, agreed: Mapping[str, Any] | None, k: int, minimum: float
) -> None:
    """Refuse an index for a table if it agrees too little with exact search.

    Parameters
    ----------
    place
        The index's manifest or the run, for messages.
    agreed
        As measured by ``muver stage ann-check``; None if it was not.
    k
        Candidates that the table needs; the agreement must have been measured at no fewer.
    minimum
        The least :func:`reached` to accept; the message says how to raise it.
    """
    if agreed is None:
        raise InputError(
            f"{place}: how far the index {factory} agrees with exact search was not measured. Run "
            "`muver stage ann-check`."
        )
    if agreed["k"] < k:
        raise InputError(
            f"{place}: agreement was measured at k = {agreed['k']}, {k} candidates are asked for. "
            f"Run `muver stage ann-check` with k {k}."
        )
    if reached(agreed) < minimum:
        knob, at, how = agreed["knob"], "", "Choose a type that quantises less"
        if knob is not None:
            at = f" at {knob} {agreed['effort']}, the greatest tried"
            how = (
                f"Raise {knob} (give `muver stage ann-check` greater efforts; for HNSW also build "
                "with a greater ef_construction), or choose a type that quantises less"
            )
        raise InputError(
            f"{place}: {factory} finds {agreed['recall']:.4f} of the exact {agreed['k']} best "
            f"entities, and the best one for {agreed['best']['found']:.4f} of the mentions{at}; a "
            f"table needs {minimum}. {how}{'' if agreed['rescore'] else ', or set rescore'}."
        )
