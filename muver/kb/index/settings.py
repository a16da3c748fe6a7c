"""What an index is made with, fixed when it is made."""

from typing import Annotated, Literal

from msgspec import Meta

from muver.io.typed import Amount, Count, Settings, Share, read
from muver.retriever.retrieval.aggregates import AGGREGATES, Aggregate
from muver.retriever.retrieval.settings import AggregateEntry, open_choice
from muver.retriever.views.settings import MergeSearch, Tokens

Kinds = Literal["sentences", "global", "both"]
Layers = Annotated[int, Meta(ge=0, le=4)]


class Words(Settings):
    """BM25: its constants, and what a query is."""

    k1: Amount = 1.2
    b: Share = 0.75
    query: Literal["mention", "mention_and_context"] = "mention"


class Making(Settings):
    """How entities become views and views a score; each setting can change answers.

    Attributes
    ----------
    views
        One view a sentence, one of the whole description, or both; None: as the model was trained.
    merge
        Layers of merged views. Pairs are chosen within an entity, by ``search``.
    top_k
        int(views * top_k) pairs are merged in a layer.
    bm25_weight
        Of BM25's part in the score beside the model's; None: the model alone.
    depth
        Candidates of each part that are brought together, if no more are asked for.
    view_tokens, context_tokens
        Of a sentence's view and of a mention in its context, where the model does not say.
    global_tokens, merged_tokens
        Of a view of the whole description, and of a merged one.
    """

    views: Kinds | None = None
    merge: Layers = 0
    bm25_weight: Share | None = None
    aggregate: AggregateEntry = AggregateEntry(kind="max")
    search: MergeSearch = MergeSearch(pairs="distant", among="neighbours")
    top_k: Share = 0.4
    depth: Count = 100
    words: Words = Words()
    view_tokens: Tokens = 40
    context_tokens: Tokens = 128
    global_tokens: Tokens = 128
    merged_tokens: Tokens = 512

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = AGGREGATES[self.aggregate.kind]
        if not kind.alone:
            possible = ", ".join(name for name, one in AGGREGATES.items() if one.alone)
            raise ValueError(
                f"the aggregate {self.aggregate.kind} needs all views of a world at once. "
                f"Possible: {possible}."
            )
        if several := open_choice(self.aggregate.as_dict()):
            raise ValueError(f"the aggregate's {several} has several values. Choose one.")
        if self.merge and self.views == "global":
            raise ValueError("merge needs views of sentences: set views to sentences or both.")

    @property
    def scorer(self) -> Aggregate:
        own = self.aggregate.as_dict()
        return read(AGGREGATES[own.pop("kind")], own, "aggregate")
