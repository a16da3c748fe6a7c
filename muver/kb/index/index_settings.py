"""What an index is made with, fixed when it is made."""

from typing import Annotated, Literal

from msgspec import Meta

from muver.io.typed import Amount, Settings, Share, read
from muver.retriever.retrieval.aggregates import AGGREGATES, Aggregate
from muver.retriever.retrieval.retrieval_settings import AggregateEntry, open_choice
from muver.retriever.views.views_settings import MergeSearch, Tokens

Kinds = Literal["sentences", "global", "both"]
Layers = Annotated[int, Meta(ge=0, le=4)]


class Words(Settings):
    """BM25: its constants, and what a query is."""

    k1: Amount = 1.2
    b: Share = 0.75
    query: Literal["mention", "mention_and_context"] = "mention"


class Making(Settings):
    """How entities become views and views a score; each setting can change answers."""

    views: Kinds | None = None  # None: as the model was trained; of one that was not, none
    merge: Layers = 0  # of merged views; pairs are chosen within an entity, by search
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

    @property
    def scorer(self) -> Aggregate:
        own = self.aggregate.as_dict()
        return read(AGGREGATES[own.pop("kind")], own, "aggregate")
