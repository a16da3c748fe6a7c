"""What a run's manifest tells evaluations: what validation chose, how far its index agrees."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from muver.io.errors import InputError
from muver.io.typed import Record

MOST_SHOWN = 20  # values that a sentence lists
BESIDE = ("cutoff", "mentions", "tried", "of")  # a manifest's keys beside the chosen value


class Chosen(Record):
    """A setting whose value was chosen on validation."""

    setting: str  # such as weight with 0.7, or model with a name
    value: float | str
    among: list[float | str]  # the values that were tried
    cutoff: int  # the value with the most hits at this rank was chosen

    @property
    def in_words(self) -> str:
        """A sentence for footnotes; it tells if the value is the least or greatest tried."""
        numbers = [value for value in self.among if not isinstance(value, str)]
        ends = {min(numbers): "least", max(numbers): "greatest"} if len(numbers) > 1 else {}
        end = f", the {ends[self.value]} that was tried" if self.value in ends else ""
        among = ", ".join(map(_shown, self.among))
        if len(self.among) > MOST_SHOWN:
            among = f"{len(self.among)} that were tried"
        return (
            f"Validation chose {self.setting} {_shown(self.value)} among {among}, by hits at "
            f"{self.cutoff}{end}."
        )

    @property
    def tag(self) -> tuple[str, str]:
        """Name and value of a run's tag in MLflow."""
        return f"chosen_{self.setting}", _shown(self.value)


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def chosen_of(manifest: Mapping[str, Any]) -> Chosen | None:
    """What was chosen for a run (:func:`muver.retriever.retrieval.choice.choose`)."""
    chosen = manifest.get("chosen")
    if not chosen:
        return None
    ((setting, value),) = ((key, chosen[key]) for key in chosen if key not in BESIDE)
    among = [trial[setting] for trial in chosen["tried"]]
    if isinstance(value, list):  # a weight of each of the run's parts
        value, *among = (_weighing(chosen["of"], weights) for weights in (value, *among))
        among = list(dict.fromkeys(among))
    return Chosen(setting=setting, value=value, among=among, cutoff=chosen["cutoff"])


def _weighing(names: Sequence[str], weights: Sequence[float]) -> str:
    """Weights with what they weigh.

    >>> _weighing(["words", "names"], [0.25, 1.0])
    '0.25 of words, 1 of names'
    """
    each = zip(weights, names, strict=True)
    return ", ".join(f"{weight:g} of {name}" for weight, name in each)


class Best(Record):
    """Of exact search's best entity."""

    found: float  # share of mentions for which it was found


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
    """The index of a run; None if it was searched exactly."""
    if "index" not in manifest:
        return None
    agreed = manifest["agreement"]
    measured = {"factory": manifest["index"], "agreement": reached(agreed)}
    return msgspec.convert(agreed | measured, Index)


def require(
    place: Path, factory: str, agreed: Mapping[str, Any] | None, k: int, minimum: float
) -> None:
    """Refuse an index for a table if it agrees too little with exact search.

    ``agreed`` is what ``muver stage ann-check`` measured, None if it was not run, at no fewer than
    the ``k`` candidates that the table needs; ``minimum`` is the least :func:`reached` to accept.
    Messages name the ``place``: the index's manifest or the run.
    """
    if agreed is None or agreed["k"] < k:
        raise InputError(
            f"{place}: agreement of the index {factory} with exact search was not measured at {k} "
            f"candidates. Run `muver stage ann-check` with k {k}."
        )
    if reached(agreed) < minimum:
        knob = agreed["knob"]
        at = f" at {knob} {agreed['effort']}, the greatest tried" if knob else ""
        raise InputError(
            f"{place}: {factory} finds {agreed['recall']:.4f} of the exact {agreed['k']} best "
            f"entities, and the best one for {agreed['best']['found']:.4f} of the mentions{at}; a "
            f"table needs {minimum}. Give `muver stage ann-check` greater efforts, choose a type "
            "that quantises less, or set rescore."
        )
