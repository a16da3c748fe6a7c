"""Settings of retrieval: sections ``bm25``, ``fusion`` and ``retrieve`` of params.yaml, and those
of the indexes of ``linking``."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from muver.io.checking import check_choices, check_whole, with_defaults
from muver.io.typed import Amount, Count, Positive, Settings, Share, Some, Text

AGGREGATES = ("max", "softmax_sum")  # of an entity's views
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


class BM25(Settings):
    """BM25 over words: its constants, what a query is, how much of a description is read."""

    k1: Amount
    b: Share
    method: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"]
    query: Literal["mention", "mention_and_context"]
    stopwords: Literal[None, "en"]
    document_tokens: Count | None


class Fusion(Settings):
    """Fusion of two runs, by reciprocal ranks or by a weight chosen on validation."""

    constant: Positive
    weights: Some[Share]
    cutoff: Count


class Retrieve(Settings):
    """What every run is made with."""

    split: Literal["test", "val"]
    k: Count
    match: Literal["title", "id"]
    softmax_candidates: Count
    memory_mb: Count


class Index(Settings):
    """A faiss index of a knowledge base's views; what is left out has its default in faiss's
    terms (:mod:`muver.retrieval.ann.settings`)."""

    factory: Text
    product: Literal["ip", "l2"] | UnsetType = UNSET
    centre: bool | UnsetType = UNSET
    lists: Count | None | UnsetType = UNSET
    training_views: Count | None | UnsetType = UNSET
    ef_construction: Count | UnsetType = UNSET


class IndexSearch(Settings):
    """How an index is searched, and how far it must agree with exact search."""

    rescore: bool
    most_views: Count
    effort: Count | None
    minimum: Share
    memory_mb: Count
    gpu: bool
