"""Settings of retrieval: sections ``bm25``, ``fusion`` and ``retrieve`` of params.yaml, and those
of the indexes of ``linking``."""

from typing import Literal

from muver.io.typed import Amount, Count, Natural, Positive, Settings, Share, Some, Text

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


class ViewsRun(Run, kw_only=True):
    """How views are scored, and which kinds of them there are.

    Attributes
    ----------
    aggregate, softmax_candidates, metric
        As :func:`muver.retrieval.exact.rank` takes them; without softmax the number of candidates
        stands in manifests and decides nothing.
    merge_layers, global_view, spans
        The views beside the original ones (:class:`muver.retrieval.layers.SystemViews`).
    search
        The name of the search that found the merged layers, for people.
    """

    memory_mb: Count
    aggregate: Literal["max", "softmax_sum"]
    softmax_candidates: Count = 200
    metric: Literal["dot", "l2"]
    merge_layers: Natural
    search: str | None
    global_view: bool
    spans: bool


class Index(Settings):
    """A faiss index of a knowledge base's views.

    Attributes
    ----------
    factory
        One of :data:`muver.retrieval.ann.settings.FACTORIES`, or a factory string of faiss.
    product
        ``l2``: distances of augmented vectors (:mod:`muver.retrieval.ann.factory`).
    lists, training_views
        None: by the number of views, and 64 a list.
    ef_construction
        Of HNSW.
    """

    factory: Text
    product: Literal["ip", "l2"] = "ip"
    centre: bool = True
    lists: Count | None = None
    training_views: Count | None = None
    ef_construction: Count = 200


class IndexSearch(Settings):
    """How an index is searched, and how far it must agree with exact search."""

    rescore: bool
    most_views: Count
    effort: Count | None
    minimum: Share
    memory_mb: Count
    gpu: bool


class Mining(Settings):
    """Which candidates of a run become hard negatives.

    Attributes
    ----------
    first_rank
        Candidates above are passed over, as they may be golds under other names.
    margin
        A negative's score is at least so much below the gold's; None: any score.
    """

    per_mention: Count
    first_rank: Count = 1
    margin: int | float | None = None
