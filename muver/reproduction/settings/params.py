"""The type of params.yaml: its sections, put together from the packages that use them."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, defstruct

from muver.io.errors import repeated
from muver.io.typed import FileName, Name, Natural, Settings, Some, T, Text, declared, partial
from muver.reproduction.settings.entries import AnyModel, AnySystem
from muver.reproduction.tables.tables_settings import Figure, Grid, Sweep, Table
from muver.retriever.corpus.corpus_settings import (
    Corpus,
    Download,
    KnowledgeBase,
    LinkedSet,
    SetName,
)
from muver.retriever.encoders.encoders_settings import Compute, Pooling, Scratch, Vectors
from muver.retriever.evaluation.records import Evaluate
from muver.retriever.retrieval.kinds import sections
from muver.retriever.retrieval.retrieval_settings import (
    AggregateEntry,
    Fusion,
    Index,
    IndexSearch,
    Retrieve,
)
from muver.retriever.training.training_settings import Pretrain, Training
from muver.retriever.views.views_settings import Context, GlobalView, Merge, Segment

# Datasets that are one knowledge base and sets of mentions linked to it.
LINKED = ("wikipedia", "miniwikipedia")
Entries = Annotated[dict[Name, T], Meta(min_length=1)]


class Sources(Settings):
    """Files of Table 2 that were fetched by hand."""

    kilt: str | None = None
    blink_benchmarks: str | None = None
    blink_biencoder: str | None = None
    blink_entities: str | None = None


class Linking(Settings, kw_only=True):
    """Table 2: one knowledge base, and the sets of mentions linked to it."""

    kb: KnowledgeBase
    match: Literal["id", "id_or_title"]
    train: str
    validation: str
    test: Some[str]
    source: Sources = Sources()
    published_counts: bool = True  # require the published counts of the dump and the sets
    sets: dict[SetName, LinkedSet]
    further: Natural = 0  # entities that validation ranks in addition to those of training
    dtype: Literal["fp16", "fp32"]
    indexes: dict[Name, Index]
    search: IndexSearch = IndexSearch()

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [self.train, self.validation, *self.test]
        if twice := repeated(names):
            raise ValueError(
                f"{twice!r} is named twice among train, validation and test. A set serves one of "
                "them."
            )


class Tracking(Settings):
    """Whether rows are recorded in MLflow."""

    enabled: bool = True


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
    download: Download = Download()
    segment: Segment
    scratch: Scratch = Scratch()
    pretrain: Pretrain = Pretrain()
    context: Context
    training: Training
    compute: Compute
    merge: Merge
    global_view: GlobalView = GlobalView()
    fusion: Fusion = Fusion()
    retrieve: Retrieve
    aggregate: Text
    aggregates: Entries[AggregateEntry]
    models: Entries[AnyModel]
    systems: Entries[AnySystem]
    evaluate: Evaluate
    tables: dict[Name, Table]
    contrasts: list[tuple[str, str]]
    sweep: Sweep
    figures: dict[Name, Figure]
    grid: Grid
    linking: Linking
    tracking: Tracking = Tracking()


# Everything that a run is made with: params.yaml with experiments beside it and a preset laid over
# it. A retriever kind that a row names brings its section along (muver/retriever/retrieval/kinds).
# A section whose keys all have defaults may be left out.
Sections = defstruct(
    "Sections",
    [
        (name, kind) if any(key.required for key in declared(kind)) else (name, kind, kind())
        for name, kind in sections().items()
    ],
    bases=(Shared,),
    kw_only=True,
)


class Resolved(Sections, kw_only=True):
    """What a run is made with: one preset, checked, with what follows from its entries."""

    workspace: str  # the folder under build/: one dataset's models outlive a run on another
    repeats: dict[str, dict[str, list[str]]] = {}  # by table and trained row, the further seeds
    tried: dict[str, list[str]] = {}  # by row whose aggregate has several values, a row for each
    # By row of Table 3 after some layers, the system that differs only in layers and search.
    sweep_of: dict[str, str] = {}

    @property
    def over_kb(self) -> bool:
        """Whether the dataset is a knowledge base with linked sets, and not worlds of their own."""
        return self.dataset in LINKED


Preset = partial(Sections)


class Experiment(Settings):
    """A file of experiments/: an idea beyond the paper, with what it adds and its table.

    ``presets`` is laid over the file itself where a preset is in use.
    """

    asks: Text
    table: partial(Table)
    aggregates: dict[Name, partial(AggregateEntry)] = {}
    merge: partial(Merge) | UnsetType = UNSET
    models: dict[Name, partial(AnyModel)] = {}
    systems: dict[Name, partial(AnySystem)] = {}
    contrasts: list[tuple[str, str]] = []
    presets: dict[Name, dict] = {}
