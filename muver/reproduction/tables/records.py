"""What a result's file holds, in full precision: a table, a figure or the grid, by its ``kind``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from muver.io.typed import Record, read_record
from muver.retriever.evaluation.lengths import Bin, Remainder
from muver.retriever.evaluation.records import KnowledgeBase, Percent, Scores
from muver.retriever.evaluation.significance import Paired
from muver.retriever.runs.manifest import Index


class Judged(Record):
    """A published recall, ours minus it in points, and a verdict."""

    recall: float
    difference: float
    half_width: float
    verdict: str


Published = dict[int, Judged]  # by cutoff, as far as there is a published number


class Part(Scores):
    """What a table has of a row on a set; of Table 6 in a domain.

    A mean of domains has no hits, and both its numbers are that mean.
    """

    paper: Published
    readme: Published

    @property
    def published(self) -> dict[str, Published]:
        """Published numbers by who published them, where there are any."""
        both = {"paper": self.paper, "readme": self.readme}
        return {source: judged for source, judged in both.items() if judged}


class Seeds(Record):
    """Recall by the system of each seed."""

    values: dict[str, Percent]
    mean: Percent
    spread: Percent  # sample standard deviation


class ComparedPart(Part):
    views_per_entity: float | None
    index: Index | None  # None for exact search
    paired: Paired | None  # minus the row of ``against``; None for that row itself
    seeds: Seeds | None  # None without repeats
    own_page_first: int | None = None  # mentions whose first candidate is the page they stand on


class Row(Record):
    """A system in a result."""

    method: str
    system: str
    note: str | None  # its footnote
    row_key: str  # what its run in MLflow is found by (muver.reproduction.tables.keys)
    precision: dict[str, str]  # of the phases that were not in fp32


class ComparedRow(Row):
    sets: dict[str, ComparedPart]
    labelled: float | None = None  # share of the labelled mentions; None of rows without training


class OneSetRow(Row):
    @property
    def part(self) -> Part:
        """What the table has of it on its one set."""
        return next(iter(self.sets.values()))


class LayersRow(OneSetRow):
    """A row of Table 3; what is of merging is None without it."""

    merge_layers: int
    search: str | None  # its name
    pairs: str | None  # "distant" or "close"
    reading: str | None  # how the search differs from the released one, in words
    searched: str | None  # pairs and reading together
    start: str | None  # the system with the same views before merging, if it has a row
    views_per_entity: float | None  # None for a system without views
    paper_views: float | None  # of the paper's row that it is compared with
    sets: dict[str, Part]


class DomainRow(OneSetRow):
    domain: str
    sets: dict[str, Part]


class Measure(Record):
    """A share of mentions, with how many they are; a mean of worlds has no such numbers."""

    percent: float
    interval: list[float]
    hits: int | None = None
    mentions: int | None = None


Measures = dict[str, Measure]  # by name: what stands beside recall in :mod:`.linking`


class Linked(Record):
    """How a row links some mentions; without any found there is no normalised accuracy."""

    measures: Measures
    paired: Paired | None  # unnormalised accuracy minus the first stage's; None for a first stage


class LinkedRow(ComparedRow, kw_only=True):
    depth: int  # candidates among which a mention is found
    first_stage: str | None  # the system whose candidates are ordered anew
    linked: Linked  # of all mentions
    worlds: dict[str, Linked]
    categories: dict[str, Linked]
    seeds: dict[str, Measures]  # by the system of each seed, its own first


class Size(Record):
    """Published numbers of a set of Table 2: mentions, entities, mentions inside BLINK's KB."""

    mentions: int
    entities: int
    support: int


class TableSet(Record):
    """A set of mentions of a table."""

    set: str
    fingerprint: str
    identified_as: str | None
    mentions: int  # that are scored
    outside: int
    matched_by_title: int
    column: str  # what the table calls it; "" for worlds
    worlds: list[str]
    worlds_without_mentions: list[str]
    published: Size | None
    of_paper: bool  # whether published numbers are comparable with ours


class Reference(Record):
    """Where published numbers are from; ``note`` says why they do not stand beside ours."""

    source: str
    dataset: str
    tolerance: dict[str, float]
    note: str | None


class Contrast(Paired):
    """One row minus another, with the published difference and whether what it claims holds."""

    method: str
    systems: list[str]  # both, in order
    column: str  # the set's, over a knowledge base; of Table 6 the domain
    paper: Percent
    verdict: dict[int, str]


class Result(Record, tag_field="kind"):
    name: str
    caption: str


class ResultOnData(Result):
    dataset: str
    fingerprint: str


class RecallTable(ResultOnData):
    kb: KnowledgeBase | None  # None for worlds
    cutoffs: list[int]
    resample: str
    interval: str  # the method of the intervals, in words
    sets: list[TableSet]
    paper: Reference
    contrasts: list[Contrast]


class Against(Record):
    system: str
    method: str


class ComparisonTable(RecallTable, tag="comparison"):
    against: Against | None  # the row that others are tested against
    rows: list[ComparedRow]
    over_seeds: list[Contrast] = []  # the contrasts of rows with several seeds
    figure: str = "vectors"  # what a drawing of it is against


class LinkingTable(ComparisonTable, tag="linking"):
    rows: list[LinkedRow]


Compared = ComparisonTable | LinkingTable  # msgspec reads no kinds but those that are named


class ViewsTable(RecallTable, tag="views"):
    cutoff: int
    rows: list[LayersRow]


class DomainsTable(RecallTable, tag="domains"):
    rows: list[DomainRow]


class Numbers(Record):
    mentions: int
    entities: int


class SplitRow(Record):
    dataset: str
    split: str
    kb: str
    mentions: int
    entities: int
    worlds: dict[str, Numbers]
    paper: Numbers | None


class StatisticsTable(ResultOnData, tag="statistics"):
    identified_as: str | None
    source: str
    note: str | None
    rows: list[SplitRow]


class ModelRow(Record):
    """A model's parameters, what pooling layers would add, and the paper's number in millions."""

    method: str
    parameters: int
    poolers: int
    paper: int | None


class ParametersTable(Result, tag="parameters"):
    source: str
    rows: list[ModelRow]


class Quoted(Record):
    """Errors that the paper's text gives, of each row by its names of bins."""

    source: str
    errors: list[dict[str, float]]


class LengthsFigure(ResultOnData, tag="lengths"):
    identified_as: str | None
    set: str
    mentions: int
    cutoff: int
    interval: str  # the methods of the intervals, in words
    difference_is: str
    rows: list[Row]
    row_key: str  # those of both rows, joined by "+"
    bins: list[Bin]
    remainder: Remainder
    paper: Quoted | None  # None if dataset or cutoff are not the paper's


class PointRow(Record):
    """A model at a point of the grid, with the step where validation recall was greatest."""

    method: str
    system: str
    row_key: str
    values: dict[str, float | int]  # of its hyper-parameters
    recall: float
    step: int
    settings: dict[str, Any]
    chosen: bool


class Mean(Record):
    value: float | int
    points: int  # that share it
    recall: float


class GridResult(ResultOnData, tag="grid"):
    models: list[str]
    cutoff: int
    rule: str
    row_key: str  # of the whole grid: it stays when points are added
    chosen: str  # the point; where each model has its own, the trials
    means: dict[str, list[Mean]]  # by hyper-parameter, sorted by value
    rows: list[PointRow]
    each: bool = False  # whether each model has a point of its own
    advice: str = ""  # what to do about the choice


R = TypeVar("R")
AnyResult = (
    Compared | ViewsTable | DomainsTable | StatisticsTable | ParametersTable
    | LengthsFigure | GridResult
)  # fmt: skip


def read_result(path: Path, kind: type[R] = AnyResult, what: str = "a table or figure") -> R:
    """Read the JSON of a result of a kind, ``what`` in words; an InputError says why it is none."""
    return read_record(path, kind, f"the JSON of {what}", "Make it again.")


def result_names(results: Path) -> list[str]:
    """Names of the results in a folder, in the order of a page."""
    tables = (path for path in results.glob("*.csv") if path.with_suffix(".json").is_file())
    return in_order(path.stem for path in tables)


def in_order(names: Iterable[str]) -> list[str]:
    """Names of results in the order of a page: tables, figures, comparisons of one's own, the grid.

    >>> in_order(["grid", "beyond", "figure2", "table1"])
    ['table1', 'figure2', 'beyond', 'grid']
    """

    def place(name: str) -> tuple[bool, bool, bool, str]:
        table, figure = name.startswith("table"), name.startswith("figure")
        return name == "grid", not (table or figure), figure, name

    return sorted(names, key=place)


def caption_of(name: str, caption: str = "") -> str:
    """A result's heading: its name for people, and the caption of its JSON.

    >>> caption_of("figure2", "Error rate"), caption_of("beyond")
    ('Figure 2: Error rate', 'Beyond')
    """
    spaced = name.replace("table", "table ").replace("figure", "figure ")
    title = spaced[:1].upper() + spaced[1:]
    if caption.lower().startswith(title.lower()):
        return caption
    return f"{title}: {caption}" if caption else title
