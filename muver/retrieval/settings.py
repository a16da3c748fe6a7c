"""Settings of retrieval: sections ``bm25``, ``fusion`` and ``retrieve`` of params.yaml, and those
of the indexes of ``linking``."""

from typing import Literal

from msgspec import UNSET, UnsetType

from muver.io.typed import Amount, Count, Positive, Settings, Share, Some, Text

Match = Literal["title", "id"]  # whether entities of one title are one candidate


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
    match: Match
    softmax_candidates: Count
    memory_mb: Count


class Run(Settings):
    """What the settings of every run have: the set of mentions, and what a candidate is."""

    split: Text
    k: Count
    match: Match


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
