"""What a result's file holds, in full precision: a table, a figure or the grid, by its ``kind``."""

from pathlib import Path
from typing import Any, TypeVar

from muver.evaluation.lengths import Bin, Remainder
from muver.evaluation.records import KnowledgeBase, Percent, Scores
from muver.evaluation.significance import Paired
from muver.io.records import Record, read_record
from muver.runs.approximate import Index


class Judged(Record):
    """A published recall, ours minus it in points, and a verdict (:mod:`muver.tables.verdict`)."""

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
    """Recall of each seed's system, with mean and sample standard deviation, by cutoff."""

    values: dict[str, Percent]
    mean: Percent
    spread: Percent


class ComparedPart(Part):
    """What a comparison has of a row on a set.

    Attributes
    ----------
    paired
        This row minus that of ``against``; None for that row itself.
    seeds
        None without repeats.
    index
        None for exact search.
    """

    views_per_entity: float | None
    index: Index | None
    paired: Paired | None
    seeds: Seeds | None


class Row(Record):
    """A system in a result.

    Attributes
    ----------
    note
        Its footnote.
    row_key
        What its run in MLflow is found by (:mod:`muver.tables.keys`).
    precision
        The phases that were not in fp32.
    """

    method: str
    system: str
    note: str | None
    row_key: str
    precision: dict[str, str]


class ComparedRow(Row):
    """A row of a comparison, by set."""

    sets: dict[str, ComparedPart]


class LayersRow(Row):
    """A row of Table 3.

    Attributes
    ----------
    merge_layers, search
        Layers of merging and name of the search; 0 and None without merging.
    pairs, reading, searched
        Of the search: "distant" or "close", how it differs from the released one, and both in
        words. None without merging.
    start
        The system with the same views before merging, if it has a row.
    views_per_entity
        None for a system without views.
    paper_views
        Views of the paper's row that this one is compared with.
    """

    merge_layers: int
    search: str | None
    pairs: str | None
    reading: str | None
    searched: str | None
    start: str | None
    views_per_entity: float | None
    paper_views: float | None
    sets: dict[str, Part]

    @property
    def part(self) -> Part:
        """Its numbers: the table has one set."""
        return next(iter(self.sets.values()))


class DomainRow(Row):
    """A row of Table 6."""

    domain: str
    sets: dict[str, Part]

    @property
    def part(self) -> Part:
        """Its numbers in the domain: the table has one set."""
        return next(iter(self.sets.values()))


class Size(Record):
    """Published numbers of a set of Table 2: mentions, entities, mentions inside BLINK's KB."""

    mentions: int
    entities: int
    support: int


class TableSet(Record):
    """A set of mentions of a table.

    Attributes
    ----------
    mentions
        Those that are scored.
    column
        What the table calls it; "" for worlds.
    of_paper
        Whether published numbers are comparable with ours.
    """

    set: str
    fingerprint: str
    identified_as: str | None
    mentions: int
    outside: int
    matched_by_title: int
    column: str
    worlds: list[str]
    worlds_without_mentions: list[str]
    published: Size | None
    of_paper: bool


class Reference(Record):
    """Where published numbers are from; ``note`` says why they are not beside ours."""

    source: str
    dataset: str
    tolerance: dict[str, float]
    note: str | None


class Contrast(Paired):
    """One row minus another, with the published difference and whether what it claims holds.

    Attributes
    ----------
    systems
        Both, in order.
    column
        The set's, over a knowledge base; of Table 6 the domain.
    """

    method: str
    systems: list[str]
    column: str
    paper: Percent
    verdict: dict[int, str]


class Result(Record, tag_field="kind"):
    """Base of all results."""

    name: str
    caption: str


class ResultOnData(Result):
    """A result on one dataset."""

    dataset: str
    fingerprint: str


class RecallTable(ResultOnData):
    """A table of recall.

    Attributes
    ----------
    kb
        None for worlds.
    interval
        The method of the intervals, in words.
    """

    kb: KnowledgeBase | None
    cutoffs: list[int]
    resample: str
    interval: str
    sets: list[TableSet]
    paper: Reference
    contrasts: list[Contrast]


class Against(Record):
    """The row that others are tested against."""

    system: str
    method: str


class ComparisonTable(RecallTable, tag="comparison"):
    """Systems compared on one or more sets."""

    against: Against | None
    rows: list[ComparedRow]


class ViewsTable(RecallTable, tag="views"):
    """Table 3: recall at ``cutoff`` by number of views."""

    cutoff: int
    rows: list[LayersRow]


class DomainsTable(RecallTable, tag="domains"):
    """Table 6: recall by domain."""

    rows: list[DomainRow]


class Numbers(Record):
    """Numbers of mentions and entities."""

    mentions: int
    entities: int


class SplitRow(Record):
    """A split with its worlds, and the paper's numbers of it."""

    dataset: str
    split: str
    kb: str
    mentions: int
    entities: int
    worlds: dict[str, Numbers]
    paper: Numbers | None


class StatisticsTable(ResultOnData, tag="statistics"):
    """Table 4: what the dataset holds."""

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
    """Table 5: parameters of the towers."""

    source: str
    rows: list[ModelRow]


class Quoted(Record):
    """Errors that the paper's text gives, of each row by its names of bins."""

    source: str
    errors: list[dict[str, float]]


class LengthsFigure(ResultOnData, tag="lengths"):
    """Figure 2: error rates of two systems by sentences of the gold description.

    Attributes
    ----------
    interval
        The methods of the intervals, in words.
    row_key
        Those of both rows, joined by "+".
    paper
        None if dataset or cutoff are not the paper's.
    """

    identified_as: str | None
    set: str
    mentions: int
    cutoff: int
    interval: str
    difference_is: str
    rows: list[Row]
    row_key: str
    bins: list[Bin]
    remainder: Remainder
    paper: Quoted | None


class PointRow(Record):
    """A point of the grid: its hyper-parameters, and where validation recall was greatest."""

    method: str
    system: str
    row_key: str
    values: dict[str, float | int]
    recall: float
    step: int
    settings: dict[str, Any]
    chosen: bool


class Mean(Record):
    """Mean recall of the points that share a value."""

    value: float | int
    points: int
    recall: float


class GridResult(ResultOnData, tag="grid"):
    """The grid over hyper-parameters.

    Attributes
    ----------
    row_key
        Of the whole grid: it stays when points are added.
    means
        By hyper-parameter, sorted by value.
    """

    model: str
    cutoff: int
    rule: str
    row_key: str
    chosen: str
    means: dict[str, list[Mean]]
    rows: list[PointRow]


R = TypeVar("R")
AnyResult = (
    ComparisonTable | ViewsTable | DomainsTable | StatisticsTable | ParametersTable
    | LengthsFigure | GridResult
)  # fmt: skip


def read_result(path: Path, kind: type[R] = AnyResult, what: str = "a table or figure") -> R:
    """Read the JSON of a result of a kind, ``what`` in words; an InputError says why it is none."""
    return read_record(path, kind, f"the JSON of {what}", "Make it again.")
