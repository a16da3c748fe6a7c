"""The type of params.yaml: its sections, put together from the packages that use them."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, defstruct, field

from muver.io.typed import (
    Count,
    FileName,
    Name,
    Natural,
    Positive,
    Settings,
    Share,
    Some,
    T,
    Text,
    fields,
    partial,
)
from muver.reproduction.grid.points import Grid
from muver.reproduction.tables.settings import Figure, Sweep, Table
from muver.retriever.corpus.settings import Corpus, Download, KnowledgeBase, LinkedSet, SetName
from muver.retriever.encoders.settings import (
    Compute,
    Metric,
    Pooling,
    Score,
    Scratch,
    Vectors,
    check_score,
)
from muver.retriever.evaluation.settings import Evaluate
from muver.retriever.retrieval.kinds import find, sections
from muver.retriever.retrieval.settings import (
    AggregateEntry,
    Fusion,
    Index,
    IndexSearch,
    OwnPage,
    Retrieve,
)
from muver.retriever.training.settings import (
    Average,
    HardNegatives,
    Pretrain,
    Training,
)
from muver.retriever.views.settings import Context, GlobalView, Merge, Segment, Views

# Datasets that are one knowledge base and sets of mentions linked to it.
LINKED = ("wikipedia", "miniwikipedia")
OF_TRAINING = ("training", "start", "negatives", "seed")
NEVER_OF_A_MODEL = {"fuse", "by", "from", "depth"}
# What else a row of a named kind of retriever has, by what the kind ranks with.
TAKES = {"model": "model", "from": "runs"}
Named = Annotated[dict[Name, T], Meta(min_length=1)]


class Model(Settings):
    """A pair of towers: trained, converted from a checkpoint, or made of others.

    Of several, validation chooses one when all are trained, or ``after`` a share of their steps; or
    it has the ``average`` of the weights of several trainings.
    """

    best_of: Some[str] | UnsetType = UNSET
    after: Share | UnsetType = UNSET
    average: Average | UnsetType = UNSET
    checkpoint: Text | UnsetType = UNSET
    views: Views | UnsetType = UNSET
    score: Score | UnsetType = UNSET
    metric: Metric | UnsetType = UNSET
    pooling: Pooling | UnsetType = UNSET
    decay: Positive | UnsetType = UNSET
    training: partial(Training) | UnsetType = UNSET
    context: Context | UnsetType = UNSET
    start: Text | UnsetType = UNSET
    negatives: HardNegatives | UnsetType = UNSET
    seed: Natural | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.as_dict().keys()
        of_others = {"best_of", "after", "average"} & given
        alone = ({"best_of"}, {"best_of", "after"}, {"average"})
        if given not in alone and (of_others or not {"views", "score"} <= given):
            raise ValueError(
                "a model names either 'views' and 'score', or 'best_of', perhaps with 'after', or "
                "'average'."
            )
        for key in OF_TRAINING if "checkpoint" in given else ():
            if key in given:
                raise ValueError(f"weights from a checkpoint are not trained. Leave {key} out.")
        check_score(self)


class System(Settings):
    """A row: how it finds its candidates, what it is called, and its footnote."""

    method: Text
    note: Text | UnsetType = UNSET
    k: Count | UnsetType = UNSET
    match: Literal["title", "id"] | UnsetType = UNSET
    own_page: OwnPage | UnsetType = UNSET
    retriever: Literal[tuple(sections())] | UnsetType = UNSET
    model: Text | UnsetType = UNSET
    aggregate: Text | UnsetType = UNSET
    merge_layers: Natural | UnsetType = UNSET
    search: Text | UnsetType = UNSET
    global_view: bool | Positive | UnsetType = UNSET
    pool: Count | UnsetType = UNSET
    depth: Count | UnsetType = UNSET
    index: str | None | UnsetType = UNSET
    fuse: tuple[str, str] | UnsetType = UNSET
    by: Literal["reciprocal_rank", "weighted"] | UnsetType = UNSET
    from_: Text | UnsetType = field(name="from", default=UNSET)

    def __post_init__(self) -> None:
        super().__post_init__()
        own = self.as_dict().keys() - {"method", "note", "k", "match", "own_page"}
        if self.retriever:
            needs = find(self.retriever).needs({})
            takes = {"retriever", *(key for key, need in TAKES.items() if need in needs)}
            if own - (fields(sections()[self.retriever]).keys() & {"depth"}) != takes:
                names = " and ".join(sorted(takes))
                raise ValueError(f"a row of the retriever {self.retriever} names {names} alone.")
        elif own != {"fuse", "by"} and ("model" not in own or own & NEVER_OF_A_MODEL):
            raise ValueError(
                "a row names either 'retriever: bm25' alone, or 'model' and how it is used, or "
                "'fuse' and 'by'."
            )


class Sources(Settings):
    """Files of Table 2 that were fetched by hand."""

    kilt: str | None
    blink_benchmarks: str | None
    blink_biencoder: str | None
    blink_entities: str | None


class ListedIndex(Index, omit_defaults=True):
    """An index of ``linking``; keys have only what differs from the defaults."""


class Linking(Settings):
    """Table 2: one knowledge base, and the sets of mentions linked to it."""

    kb: KnowledgeBase
    match: Literal["id", "id_or_title"]
    train: str
    validation: str
    test: Some[str]
    source: Sources
    published_counts: bool
    sets: dict[SetName, LinkedSet]
    further: Natural
    dtype: Literal["fp16", "fp32"]
    indexes: dict[Name, ListedIndex]
    search: IndexSearch

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [self.train, self.validation, *self.test]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(
                f"{twice!r} is named twice among train, validation and test. A set serves one of "
                "them."
            )


class Tracking(Settings):
    """Whether rows are recorded in MLflow."""

    enabled: bool


class Shared(Settings, kw_only=True):
    """The sections that do not belong to one kind of retriever."""

    preset: Text
    dataset: Text
    encoder: Text
    pooling: Pooling | Literal["auto"]
    vectors: Vectors
    seed: Natural
    workspace: FileName | UnsetType = UNSET
    repeat_seeds: list[Natural]
    results: Some[Name]
    corpus: Corpus
    download: Download
    segment: Segment
    scratch: Scratch
    pretrain: Pretrain
    context: Context
    models: Named[Model]
    training: Training
    compute: Compute
    merge: Merge
    global_view: GlobalView
    fusion: Fusion
    retrieve: Retrieve
    aggregate: Text
    aggregates: Named[AggregateEntry]
    systems: Named[System]
    evaluate: Evaluate
    tables: dict[Name, Table | Some[Name]]  # a list is short for the rows
    contrasts: list[tuple[str, str]]
    sweep: Sweep
    figures: dict[Name, Figure]
    grid: Grid
    linking: Linking
    tracking: Tracking


# Everything that a run is made with: params.yaml with a preset laid over it. A retriever kind that
# a row names brings its section along (muver/retriever/retrieval/kinds).
Sections = defstruct("Sections", list(sections().items()), bases=(Shared,), kw_only=True)
Preset = partial(Sections)


class Params(Sections):
    """params.yaml as it is written."""

    presets: dict[str, Preset | None]


class Resolved(Sections, kw_only=True):
    """What a run is made with: one preset, checked, with what follows from its entries."""

    workspace: str  # the folder under build/: one dataset's models outlive a run on another
    repeats: dict[str, dict[str, list[str]]] = {}  # by table and trained row, the further seeds
    tried: dict[str, list[str]] = {}  # by row whose aggregate has several values, a row for each
    # By row of Table 3 after some layers, the system that differs only in layers and search.
    sweep_of: dict[str, str] = {}
    again: dict[str, str] = {}  # by further training of an average, the first, with the same start

    @property
    def over_kb(self) -> bool:
        """Whether the dataset is a knowledge base with linked sets, and not worlds of their own."""
        return self.dataset in LINKED
