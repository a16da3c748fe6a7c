"""What an index is made with, fixed when it is made."""

from collections.abc import Collection, Mapping
from numbers import Real
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muver.io.errors import InputError, Mistake, choices, quoted
from muver.io.typed import Amount, Settings, Share, read
from muver.retriever.retrieval.aggregates import AGGREGATES, Aggregate
from muver.retriever.retrieval.retrieval_settings import AggregateEntry, open_choice
from muver.retriever.views.views_settings import MergeSearch, Tokens

DEPTH = 64  # candidates that a second stage ranks again
Kinds = Literal["sentences", "global", "both"]
Layers = Annotated[int, Meta(ge=0, le=4)]


class Words(Settings):
    """BM25: its constants, and what a query is."""

    k1: Amount = 1.2
    b: Share = 0.75
    query: Literal["mention", "mention_and_context"] = "mention"


class Asking(Settings):
    """What no vector depends on: it can be another one when an index is asked."""

    aggregate: AggregateEntry | UnsetType = UNSET
    words: Words | UnsetType = UNSET


class Making(Settings):
    """How entities become views and views a score; each setting can change answers."""

    views: Kinds | None = None  # None: as the model was trained; an encoder as it is has no views
    merge: Layers = 0  # of merged views; ``search`` chooses pairs within an entity
    aggregate: AggregateEntry = AggregateEntry(kind="max")
    search: MergeSearch = MergeSearch(pairs="distant", among="neighbours")
    top_k: Share = 0.4  # int(views * top_k) pairs are merged in a layer
    words: Words = Words()
    view_tokens: Tokens = 40  # of a sentence's view, where the model does not say
    context_tokens: Tokens = 128  # of a mention in its context, where the model does not say
    # Of a view of the whole description, and of texts that an encoder compares.
    global_tokens: Tokens = 128
    merged_tokens: Tokens = 512

    def __post_init__(self) -> None:
        super().__post_init__()
        if several := open_choice(self.aggregate.as_dict()):
            raise ValueError(f"the aggregate's {several} has several values. Choose one.")
        if self.merge and self.views == "global":
            raise ValueError("merge needs views of sentences: set views to sentences or both.")

    def check_own(self) -> None:
        """Refuse what an index of one's own entities cannot be asked by."""
        if not self.scorer.alone:
            raise InputError(
                f"settings: the aggregate {self.aggregate.kind} takes more than an entity's own "
                "views. Choose another."
            )

    @property
    def scorer(self) -> Aggregate:
        values = self.aggregate.as_dict()
        return read(AGGREGATES[values.pop("kind")], values, "aggregate")


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


def defaults(columns: Collection[str], trained: bool, words_alone: bool = False) -> Weights:
    """The weights of an index for which none are told."""
    if words_alone:
        return {"exact": 1.0, "words": 1.0, "characters": 0.0}
    chosen = (BY_MODEL if trained else BY_ENCODER) if columns else BY_NAMES
    if "views" in columns:
        chosen = {**chosen, "whole": WHOLE_BESIDE_VIEWS * chosen["views"]}
    signals = *WITHOUT_MODEL, *(name for column in columns for name in OF_COLUMN[column])
    return {name: chosen[name] for name in signals}


def changed(weights: Weights, other: Mapping[str, float] | None) -> Weights:
    """The weights with some others in their places."""
    for name, weight in (other or {}).items():
        if name not in weights:
            raise Mistake(
                f"weights: {quoted(name)} is no signal of this index.{choices(name, weights)}"
            )
        if not (isinstance(weight, Real) and 0 <= weight < float("inf")):
            raise Mistake(f"weights: {name}={quoted(weight)}: expected a number from 0 on.")
    together = {**weights, **(other or {})}
    if not any(together.values()):
        raise Mistake(f"weights: all are 0. Give one of {', '.join(weights)} more.")
    return together


def read_weights(text: str | None) -> Weights:
    """The weights in a text, such as ``words=1,names=0``; none if there is no text."""
    weights: Weights = {}
    for pair in (text or "").replace(",", " ").split():
        name, _, value = pair.partition("=")
        if name in weights:
            raise Mistake(f"--weights: {quoted(name)} comes twice. Leave one out.")
        try:
            weights[name] = float(value)
        except ValueError:
            raise Mistake(
                f"--weights {pair}: expected SIGNAL=NUMBER, such as words=1,names=0."
            ) from None
    return weights


def in_words(weights: Mapping[str, float]) -> str:
    """Weights, or what signals give, in a line, the greatest first; nothing is told of 0."""
    greatest = sorted(weights.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {value:.2f}" for name, value in greatest if round(value, 2))
