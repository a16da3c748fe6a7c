"""The signals that an index sums, and how much each counts: its weight.

exact       the mention equals the title or an alias
words       BM25 of the mention, as a share of the mention's best
characters  the letters of the mention in the title or an alias
names       the mention alone, beside a vector of the title and one of each alias
names_text  the mention alone, beside one vector of title and description
context     the mention in its context, beside the same vector
views       a trained model's score of the views of sentences
whole       a trained model's score of the whole description
"""

from collections.abc import Collection, Mapping

from muver.io.checking import did_you_mean
from muver.io.errors import Mistake

Weights = dict[str, float]
WITHOUT_MODEL = ("exact", "words", "characters")
OF_COLUMN = {  # the signals that a column of vectors serves
    "names": ("names",),
    "text": ("names_text", "context"),
    "views": ("views",),
    "whole": ("whole",),
}
COLUMN_OF = {name: column for column, names in OF_COLUMN.items() for name in names}
# Chosen on the validation worlds of realworlds with the mention's own page left out, by
# results/untrained.csv (with all-MiniLM-L6-v2) and, for a trained model, results/best.csv, where
# views are MuVER's without heuristic search. Those of exact, of whole, and of an encoder's views
# are not chosen so.
BY_NAMES = {"exact": 1.0, "words": 0.5, "characters": 0.75}
BY_ENCODER = {
    "exact": 1.0, "words": 1.0, "characters": 2.0,
    "names": 1.0, "names_text": 1.25, "context": 2.0, "views": 1.0, "whole": 1.0,
}  # fmt: skip
BY_MODEL = {"exact": 1.0, "words": 0.75, "characters": 1.0, "views": 2.0, "whole": 2.0}
WHOLE_BESIDE_VIEWS = 0.2


def signals_of(columns: Collection[str]) -> list[str]:
    """The signals of an index with these columns of vectors."""
    return [*WITHOUT_MODEL, *(name for one in columns for name in OF_COLUMN[one])]


def defaults(columns: Collection[str], trained: bool, words_alone: bool = False) -> Weights:
    """The weights of an index for which none are told."""
    if words_alone:
        return {"exact": 1.0, "words": 1.0, "characters": 0.0}
    chosen = (BY_MODEL if trained else BY_ENCODER) if columns else BY_NAMES
    if "views" in columns:
        chosen = {**chosen, "whole": WHOLE_BESIDE_VIEWS * chosen["views"]}
    return {name: chosen[name] for name in signals_of(columns)}


def changed(weights: Weights, other: Mapping[str, float] | None, where: str = "weights") -> Weights:
    """The weights with some others in their places."""
    for name, weight in (other or {}).items():
        if name not in weights:
            raise Mistake(
                f"{where}: {name!r} is no signal of this index.{did_you_mean(name, weights)} "
                f"There are: {', '.join(weights)}."
            )
        if not 0 <= weight < float("inf"):
            raise Mistake(f"{where}: {name}={weight}: expected a number from 0 on.")
    found = {**weights, **(other or {})}
    if not any(found.values()):
        raise Mistake(f"{where}: all are 0. Give one of {', '.join(weights)} more.")
    return found


def read_weights(text: str) -> Weights:
    """The weights in a text, such as ``words=1,names=0``."""
    found: Weights = {}
    for pair in text.replace(",", " ").split():
        name, _, value = pair.partition("=")
        try:
            found[name] = float(value)
        except ValueError:
            raise Mistake(
                f"--weights {pair}: expected SIGNAL=NUMBER, such as words=1,names=0."
            ) from None
    return found


def told(given: Mapping[str, float]) -> str:
    """Weights, or what signals give, in a line, the greatest first; nothing is told of 0."""
    greatest = sorted(given.items(), key=lambda one: -one[1])
    return ", ".join(f"{name} {value:.2f}" for name, value in greatest if round(value, 2))
