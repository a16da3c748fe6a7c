"""Settings of retrieval: sections ``bm25``, ``fusion`` and ``retrieve`` of params.yaml, and those
of the indexes of ``linking``."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType, defstruct
from msgspec.structs import replace

from muver.io.typed import (
    Amount,
    Count,
    Natural,
    Positive,
    Settings,
    Share,
    Some,
    Text,
    fields,
    read,
)
from muver.retriever.retrieval.aggregates import AGGREGATES, Aggregate

Match = Literal["title", "id"]  # whether entities with the same title are one candidate


class BM25(Settings):
    """BM25 over words: its constants and formula, and what a query is."""

    k1: Amount
    b: Share
    method: Literal["lucene", "robertson", "atire", "bm25l", "bm25+"] = "lucene"
    query: Literal["mention", "mention_and_context"] = "mention"


class Fusion(Settings):
    """Fusion of two runs by reciprocal ranks."""

    constant: Positive = 60  # that is added to ranks


class Retrieve(Settings):
    """Settings that every run of a table shares."""

    split: Literal["test", "val"]
    k: Count
    match: Match
    memory_mb: Count = 256


OwnPage = Literal["keep", "leave_out"]


class Run(Settings, kw_only=True):
    """Settings that every run has: the set of mentions, and what a candidate is."""

    split: Text
    k: Count
    match: Match
    # Whether the page that a mention stands on is one of its candidates. It is in the paper's
    # format, though no page links to itself.
    own_page: OwnPage | UnsetType = UNSET


def _of_aggregates() -> list[tuple[str, Any, UnsetType]]:
    """The settings of all aggregates, each as an optional key."""
    found: dict[str, Any] = {}
    for aggregate in AGGREGATES.values():
        for name, kind in fields(aggregate).items():
            found[name] = kind | Some[kind] if name == aggregate.chosen else kind
    return [(name, kind | UnsetType, UNSET) for name, kind in found.items()]


OfAggregates = defstruct("OfAggregates", _of_aggregates(), bases=(Settings,), kw_only=True)


class AggregateEntry(OfAggregates, kw_only=True):
    """An aggregate of params.yaml; validation chooses among several temperatures."""

    kind: Literal[tuple(AGGREGATES)]

    def __post_init__(self) -> None:
        super().__post_init__()
        aggregate, named = AGGREGATES[self.kind], set(self.as_dict()) - {"kind"}
        takes = set(fields(aggregate))
        if named != takes:
            raise ValueError(
                f"the aggregate {self.kind} takes {', '.join(sorted(takes)) or 'nothing'}, and "
                f"{', '.join(sorted(named)) or 'nothing'} is given."
            )


class Scored(OfAggregates, kw_only=True):
    """An aggregate of a run, with its own settings as keys beside it."""

    aggregate: Literal[tuple(AGGREGATES)]

    def __post_init__(self) -> None:
        super().__post_init__()
        others = fields(OfAggregates).keys() - fields(AGGREGATES[self.aggregate]).keys()
        if strange := sorted(self.as_dict().keys() & others):
            raise ValueError(f"the aggregate {self.aggregate} takes no {strange[0]}. Leave it out.")

    @property
    def choice(self) -> str | None:
        """The setting that validation chooses; None if all are fixed."""
        return open_choice(self.as_dict())

    @property
    def scorer(self) -> Aggregate:
        """The aggregate; none of its settings may still have several values."""
        kind, values = AGGREGATES[self.aggregate], self.as_dict()
        return read(kind, {key: values[key] for key in fields(kind) if key in values})


# Inputs that hold further views beside the store, and the settings of a row that ask for them.
FURTHER_VIEWS = {"merged": "merge_layers", "global_views": "global_view"}


class Viewed(Scored, kw_only=True):
    """How views are scored, and which kinds of them there are.

    :class:`muver.retriever.retrieval.layers.SystemViews` has the views beside the original ones.
    """

    metric: Literal["dot", "l2"]
    merge_layers: Natural
    search: str | None  # that found the merged layers, for people
    # Whether an entity has its global view beside the others, or how much of that view's vector is
    # added to each of theirs.
    global_view: bool | Positive
    pool: Count | UnsetType = UNSET  # vectors an entity at most (muver.retriever.vectors.pooled)

    @property
    def further(self) -> list[str]:
        """What :class:`muver.retriever.retrieval.layers.SystemViews` needs beside the store."""
        return [name for name, setting in FURTHER_VIEWS.items() if getattr(self, setting)]


class ViewsSignal(Viewed, kw_only=True):
    """How a row scores views whose scores are a signal; ``cosines`` says that they are cosines,
    times one length for all vectors of a tower."""

    cosines: bool


class ViewsRun(Viewed, kw_only=True):
    """How a row is ranked by views; the rest is as of :class:`Run`."""

    split: Text
    k: Count
    match: Match
    own_page: OwnPage | UnsetType = UNSET
    memory_mb: Count
    # If the temperature is a list, the value with the most hits at this rank on validation is
    # chosen.
    validation_cutoff: Count | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.choice is None) != (self.validation_cutoff is UNSET):
            raise ValueError("validation_cutoff goes with several temperatures, and they with it.")

    @property
    def values(self) -> list[float]:
        """The values to choose among."""
        return getattr(self, self.choice) if self.choice else []

    def settled(self, chosen: Mapping[str, Any]) -> "ViewsRun":
        """These settings with the chosen value in place of several."""
        if self.choice is None:
            return self
        return replace(self, validation_cutoff=UNSET, **{self.choice: chosen[self.choice]})


def open_choice(settings: Mapping[str, Any]) -> str | None:
    """The aggregate's setting that has several values, so that validation has to choose one."""
    chosen = (aggregate.chosen for aggregate in AGGREGATES.values())
    return next((key for key in chosen if isinstance(settings.get(key), list)), None)


class Index(Settings):
    """A faiss index of a knowledge base's views."""

    factory: Text  # of muver.retriever.retrieval.ann.index.FACTORIES, or a string of faiss
    lists: Count | None = None  # None: according to the number of views
    training_views: Count | None = None  # None: 64 per list
    ef_construction: Count = 200  # HNSW's efConstruction


class IndexSearch(Settings):
    """How an index is searched, and how far it must agree with exact search."""

    rescore: bool = True  # score an index's candidates again with the vectors on disk
    most_views: Count = 16384  # at most fetched per mention to get k entities
    effort: Count | None = None  # nprobe or efSearch; None: chosen by the check of the index
    minimum: Share = 0.995  # agreement with exact search that a row needs
    memory_mb: Count = 1024
    gpu: bool = True  # if faiss supports it


class Mining(Settings):
    """Which candidates of a run become hard negatives."""

    per_mention: Count
    # The first and the last that are taken: the best ones may be golds under other names.
    ranks: tuple[Count, Count] | None = None
    random: Share = 0  # the share that is drawn from all entities, with ``seed``
    seed: Natural = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranks(self.ranks)


def check_ranks(ranks: tuple[int, int] | UnsetType | None) -> None:
    """Raise a ValueError for a range of ranks that ends before it begins."""
    if ranks and ranks[0] > ranks[1]:
        raise ValueError(f"ranks is {list(ranks)}, expected the first rank and then the last.")
