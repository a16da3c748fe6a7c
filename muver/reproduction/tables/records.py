"""What a result's file holds, in full precision: a table, a figure or the grid, by its ``kind``.

A table of recall is long: a :class:`Line` for each row, set, world, seed and cutoff. Every form of
it, for people and for programs, is read off these lines.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from muver.io.typed import Record, read_record
from muver.retriever.evaluation.records import Bin, KnowledgeBase, Remainder, Scores
from muver.retriever.runs.manifest import Index

MEAN = "macro mean"  # stands for a world in lines of the mean of worlds, each counting the same
ALL_PAGES, LEFT_OUT = "all pages", "own page left out"  # the protocols of a mention's own page


class Line(Record):
    """Recall of a row at a cutoff, over a set's mentions or some of them."""

    row: str  # its system
    set: str
    protocol: str  # ALL_PAGES or LEFT_OUT
    seed: int | None  # None of a row that draws nothing
    k: int
    hits: int | None  # None of a mean of worlds
    mentions: int
    recall: float  # percent
    low: float  # the 95% interval
    high: float
    key: str  # the row's, of this seed
    world: str = ""  # all worlds if empty
    category: str = ""  # all categories if empty


def lines_of(scores: Scores, **labels: Any) -> Iterator[Line]:
    """The lines of an evaluation's scores: of all mentions, of the mean of worlds and of each."""
    parts = {
        "": (scores.mentions, scores.hits, scores.micro, scores.interval.micro),
        MEAN: (scores.mentions, {}, scores.macro, scores.interval.macro),
    }
    for name, scored in scores.worlds.items():
        parts[name] = scored.mentions, scored.hits, scored.recall, scored.interval
    for world, (mentions, hits, recall, interval) in parts.items():
        for k, percent in recall.items():
            low, high = interval[k]
            yield Line(k=k, hits=hits.get(k), mentions=mentions, recall=percent, low=low, high=high,
                       world=world, **labels)  # fmt: skip


class Published(Record):
    """What was published of a line's number."""

    recall: float
    difference: float  # ours minus it, in points
    half_width: float
    verdict: str
    row: str
    set: str
    world: str
    k: int
    source: Literal["paper", "readme"]


class Contrast(Record):
    """The recall of one row minus another's at a cutoff, on the same mentions."""

    kind: Literal["contrast", "against", "seeds"]  # against the table's row; over seeds
    method: str  # both, in words
    first: str  # their systems
    second: str
    set: str
    world: str
    k: int
    difference: float  # points
    low: float  # the 95% interval
    high: float
    p_value: float
    won: int  # mentions that only the first row hits
    lost: int
    paper: float | None  # the published difference
    verdict: str | None  # whether what it claims holds


class Row(Record):
    """A system in a result."""

    method: str
    system: str
    note: str | None  # its footnote
    row_key: str  # what its run in MLflow is found by (muver.reproduction.tables.evaluations)
    precision: dict[str, str]  # of the phases that were not in fp32


class OnSet(Record):
    """How a row ranks the mentions of a set."""

    views_per_entity: float | None
    index: Index | None  # None for exact search
    own_page_first: int | None  # mentions whose first candidate is the page they stand on


class Merged(Record):
    """How a row of Table 3 merges views."""

    layers: int
    search: str  # its name
    pairs: str  # "distant" or "close"
    reading: str  # how the search differs from the released one, in words
    searched: str  # pairs and reading together
    start: str | None  # the system with the same views before merging, if it has a row


class TableRow(Row):
    sets: dict[str, OnSet]
    seeds: dict[str, str]  # the key of each seed's run by its system, the row's own first
    labelled: float | None  # share of the labelled mentions; None of rows without training
    merged: Merged | None  # in Table 3, of rows with merged views

    @property
    def views_per_entity(self) -> float | None:
        """The mean number of vectors that an entity has, on the first set."""
        return next(iter(self.sets.values())).views_per_entity


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


class Result(Record, tag_field="kind"):
    name: str
    caption: str


class ResultOnData(Result):
    dataset: str
    fingerprint: str


class Table(ResultOnData, tag="table", dict=True):
    """Rows of recall; the ``layout`` says in which columns people read them."""

    layout: Literal["comparison", "domains", "views"]
    kb: KnowledgeBase | None  # None for worlds
    cutoffs: list[int]  # that are shown
    resample: str
    interval: str  # the method of the intervals, in words
    sets: list[TableSet]
    paper: Reference
    against: str | None  # the system that others are tested against
    figure: str  # what a drawing of it is against
    rows: list[TableRow]
    lines: list[Line]
    published: list[Published]
    contrasts: list[Contrast]

    @cached_property
    def _by_place(self) -> dict[tuple, Line]:
        return {
            (line.key, line.k, line.set, line.world, line.category): line for line in self.lines
        }

    def line(
        self, key: str, k: int, set: str = "", world: str = "", category: str = ""
    ) -> Line | None:
        """The line of a row's key; the set is the first one if none is named."""
        return self._by_place.get((key, k, set or self.sets[0].set, world, category))

    @property
    def columns(self) -> dict[str, str]:
        """What the table calls its sets."""
        return {of_set.set: of_set.column for of_set in self.sets}

    def by_world(self, key: str) -> dict[str, list[Line]]:
        """The lines of a row's key by world, or over a knowledge base by set."""
        parts: dict[str, list[Line]] = {}
        for line in self.lines:
            of_part = bool(line.world) != bool(self.kb) and line.world != MEAN and not line.category
            if line.key == key and of_part:
                parts.setdefault(line.set if self.kb else line.world, []).append(line)
        return parts

    def row(self, system: str) -> TableRow:
        """The row of a system."""
        return next(row for row in self.rows if row.system == system)

    def judged(self, line: Line) -> dict[str, Published]:
        """What was published of a line's number by source, the paper first."""
        return self._judged.get((line.row, line.set, line.world, line.k), {})

    @cached_property
    def _judged(self) -> dict[tuple, dict[str, Published]]:
        by_line: dict[tuple, dict[str, Published]] = {}
        for number in self.published:
            place = number.row, number.set, number.world, number.k
            by_line.setdefault(place, {})[number.source] = number
        return by_line


def layers_of(rows: Sequence[TableRow]) -> list[dict[str | None, TableRow]]:
    """The lines of Table 3: rows by their pairs; distant and close rows share a line."""
    lines: dict[Any, dict[str | None, TableRow]] = {}
    for row in rows:
        merged = row.merged
        place = (row.method, merged.layers, merged.reading) if merged else row.system
        lines.setdefault(place, {})[merged and merged.pairs] = row
    return list(lines.values())


def merging_curves(rows: Sequence[TableRow]) -> dict[str, list[TableRow]]:
    """The rows of Table 3 by curve: one without merging alone, those of a search together.

    A search begins at the row that its rows name as ``start``. Rows without views are left out.
    """
    known = [row for row in rows if row.views_per_entity is not None]
    points = {row.system: row for row in known if not row.merged}
    curves = {row.method: [row] for row in points.values()}
    for row in known:
        if row.merged:
            start = points.get(row.merged.start)
            label = f"{row.method}, {row.merged.searched}"
            curves.setdefault(label, [start] if start else []).append(row)
    return curves


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
    # By hyper-parameter, sorted by value; none where one value was varied at a time
    means: dict[str, list[Mean]]
    rows: list[PointRow]
    each: bool = False  # whether each model has a point of its own
    advice: str = ""  # what to do about the choice


R = TypeVar("R")
AnyResult = Table | StatisticsTable | ParametersTable | LengthsFigure | GridResult


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
