"""What an entry of ``models`` or ``systems`` can be: one type for each kind.

An entry's kind is told by the keys that it has (:data:`FORMS`), so that nobody has to write it.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from muver.io.typed import Count, Natural, Positive, Settings, Share, Some, Text, fields
from muver.retriever.encoders.encoders_settings import Metric, Pooling, Score, check_score
from muver.retriever.retrieval.kinds import needs, sections
from muver.retriever.retrieval.kinds.signals import SIGNALS
from muver.retriever.retrieval.retrieval_settings import Match, OwnPage
from muver.retriever.training.training_settings import HardNegatives, Training
from muver.retriever.views.views_settings import Context, Views

# The first key of these that an entry has tells its kind; what has none is of the last.
FORMS = {
    "models": {
        "best_of": "chosen",
        "checkpoint": "converted",
        "views": "trained",
    },
    "systems": {"fuse": "fused", "retriever": "named", "model": "by_views"},
}
# What a row of a named kind of retriever has beside that name, by what the kind ranks with.
TAKES = {"model": ("model", "texts"), "from": ("runs",)}
OWN = ("depth", "of")  # what such a row may set of the kind's section
# Keys that name other entries, and the section that has those; of ``negatives`` its ``from``, and
# of ``of`` those names that are no signal's.
NAMING = {
    "model": "models", "start": "models", "best_of": "models",
    "negatives": "systems", "fuse": "systems", "from_": "systems", "of": "systems",
}  # fmt: skip
Place = tuple[str, str]  # of an entry: its section and its name


class Model(Settings, tag_field="kind"):
    """What every model may have: its name for people, and a footnote of its rows."""

    method: Text | UnsetType = UNSET
    differs: Text | UnsetType = UNSET  # from the model that it is like; stands behind the name
    note: Text | UnsetType = UNSET


class Towers(Model, kw_only=True):
    """How texts become sequences, and their states a score."""

    views: Views
    score: Score
    metric: Metric = "dot"
    pooling: Pooling | Literal["auto"] | UnsetType = UNSET
    context: Context
    decay: Positive | UnsetType = UNSET  # of a cross-encoder's weights by distance

    def __post_init__(self) -> None:
        super().__post_init__()
        check_score(self)


class Trained(Towers, tag="trained", kw_only=True):
    """Two towers, or a cross-encoder, trained on the mentions of the training worlds."""

    training: Training
    start: Text | UnsetType = UNSET  # a model to start from, in place of the encoder
    negatives: HardNegatives | UnsetType = UNSET
    seed: Natural | UnsetType = UNSET


class Converted(Towers, tag="converted", kw_only=True):
    """The weights of a published checkpoint, used without training."""

    checkpoint: Text


class Chosen(Model, tag="chosen", kw_only=True):
    """One of several models, which validation chooses when all are trained, or ``after`` a share
    of their steps."""

    best_of: Some[str]
    after: Share | UnsetType = UNSET


class System(Settings, tag_field="kind"):
    """What every row may have. Its name is made of its model and its protocol
    (:mod:`muver.reproduction.settings.naming`), or written where it cannot be."""

    method: Text | UnsetType = UNSET
    note: Text | UnsetType = UNSET
    k: Count | UnsetType = UNSET
    match: Match | UnsetType = UNSET
    own_page: OwnPage | UnsetType = UNSET  # a table's protocol sets it


class ByViews(System, tag="by_views", kw_only=True):
    """A row ranked by the vectors of a model."""

    model: Text
    aggregate: Text | UnsetType = UNSET
    merge_layers: Natural = 0
    search: Text = "distant"  # that finds the merged views
    # Whether an entity has its global view beside the others, or how much of it is added to each.
    global_view: bool | Positive = False
    pool: Count | UnsetType = UNSET
    index: str | None | UnsetType = UNSET  # of a knowledge base's views; null: exact search


class Named(System, tag="named", kw_only=True):
    """A row of a kind of retriever that is named, such as BM25 or a second stage."""

    retriever: Literal[tuple(sections())]
    model: Text | UnsetType = UNSET
    from_: Text | UnsetType = field(name="from", default=UNSET)
    depth: Count | UnsetType = UNSET
    of: Some[Text] | UnsetType = UNSET  # the signals that are summed, and the rows

    def __post_init__(self) -> None:
        super().__post_init__()
        needed = needs(self.retriever, self.as_dict())
        takes = {key for key, inputs in TAKES.items() if not {*inputs}.isdisjoint(needed)}
        named = {key for key in TAKES if self.as_dict().get(key)}
        others = {key for key in OWN if getattr(self, key)} - {*fields(sections()[self.retriever])}
        if named != takes or others:
            names = " and ".join(sorted({"retriever", *takes}))
            raise ValueError(f"a row of the retriever {self.retriever} names {names} alone.")


class Fused(System, tag="fused", kw_only=True):
    """A row whose run is made of two others', each of ``depth`` candidates, by their ranks."""

    fuse: tuple[str, str]
    depth: Count | UnsetType = UNSET


AnyModel = Trained | Converted | Chosen
AnySystem = ByViews | Named | Fused


def model_of(row: AnySystem) -> str | None:
    """The model that a row is ranked by, if by one."""
    return getattr(row, "model", None) or None


def named_by(entry: AnyModel | AnySystem) -> list[Place]:
    """The models and rows that an entry is made of, in the order of :data:`NAMING`."""
    places = []
    for key, section in NAMING.items():
        if value := getattr(entry, key, None):
            value = value.from_ if key == "negatives" else value
            names = [value] if isinstance(value, str) else value
            places += [(section, name) for name in names if key != "of" or name not in SIGNALS]
    return places


def renamed(entry: AnyModel | AnySystem, others: Mapping[Place, str]) -> AnyModel | AnySystem:
    """An entry that is made of others than those it names."""
    changed = {}
    for key, section in NAMING.items():
        match getattr(entry, key, None):
            case str(name):
                changed[key] = others.get((section, name), name)
            case list(names) | tuple(names):
                changed[key] = type(names)(others.get((section, name), name) for name in names)
            case HardNegatives(from_=row) as negatives:
                changed[key] = replace(negatives, from_=others.get((section, row), row))
    return replace(entry, **changed)


def rows_named_by(row: AnySystem) -> list[str]:
    """The rows that a row is made of: that it fuses, that it sums, or the one it starts from."""
    return [name for section, name in named_by(row) if section == "systems"]
