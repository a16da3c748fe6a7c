"""The content of an evaluation's file: recall of one run on one set, and its provenance."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from muver.io.typed import Count, Record, Settings, Share, Some, read_record
from muver.retriever.runs.manifest import Chosen, Index

Percent = dict[int, float]  # by cutoff; differences are in points
Counts = dict[int, int]  # by cutoff
Intervals = dict[int, list[float]]  # [low, high] by cutoff


class World(Record):
    """Recall over the mentions of one world."""

    mentions: int
    hits: Counts
    recall: Percent
    interval: Intervals


class Means(Record):
    """Intervals of micro and macro recall."""

    micro: Intervals
    macro: Intervals


class Scores(Record):
    """Recall with 95% intervals."""

    mentions: int
    hits: Counts
    micro: Percent  # every mention counts the same, as in the paper's tables
    macro: Percent  # every world counts the same
    worlds: dict[str, World]  # by name, sorted
    interval: Means


class KnowledgeBase(Record):
    """The knowledge base that mentions are linked to."""

    entities: int
    fingerprint: str


class Evaluation(Record):
    """A run's scores on a set."""

    system: str
    dataset: str
    set: str
    fingerprint: str
    identified_as: str | None  # the declared dataset whose published counts these are
    kb: KnowledgeBase | None  # None for worlds
    outside: int  # mentions not scored, as their gold entity is not in the knowledge base
    matched_by_title: int  # mentions whose gold entity was found by its title alone
    settings: dict[str, Any]  # the row's, from which its key is made
    precision: dict[str, str]  # phases that were not in fp32
    cutoffs: list[int]
    resample: str  # what intervals treat as independent: documents or mentions
    mentions: int
    hits: Counts
    micro: Percent
    macro: Percent
    worlds: dict[str, World]
    interval: Means
    views_per_entity: float | None
    index: Index | None  # None for exact search
    model: str | None  # its fingerprint, if the run's manifest names it
    run_sha256: str  # shows whether the run was changed after it was scored
    chosen: Chosen | None = None  # what validation chose for the run
    model_chosen: Chosen | None = None  # which of several models validation chose
    own_page_first: int | None = None  # mentions whose first candidate is the page they stand on

    @property
    def choices(self) -> list[Chosen]:
        """All that validation chose."""
        return [choice for choice in (self.model_chosen, self.chosen) if choice]

    @property
    def scores(self) -> Scores:
        """Only its recall, without the provenance."""
        return Scores(**{name: getattr(self, name) for name in Scores.__struct_fields__})


class Bin(Record):
    """Errors of two systems on gold descriptions with ``first`` to ``last`` sentences.

    A bin without mentions has no shares.
    """

    first: int
    last: int
    mentions: int
    errors: list[int]  # misses of each system
    error: list[float] | None = None  # their shares in percent
    interval: list[list[float]] | None = None  # 95% Wilson score interval of each share
    difference: float | None = None  # the second's share minus the first's, in points
    difference_interval: list[float] | None = None  # by the bootstrap


class Remainder(Record):
    """Mentions in no bin: with more sentences than the last bin, or without any."""

    over: int
    without: int


def read_evaluation(path: Path) -> Evaluation:
    """Read the file of ``muver stage evaluate``."""
    return read_record(path, Evaluation, "an evaluation", "Run the evaluate stage again.")


FULL = "fp32"
PHASES = ("training", "encoding", "storage", "scores")
# Types of index that keep whole vectors, by our name or faiss's; other types quantise them.
WHOLE = re.compile(r"(hnsw\d*|flat)$", re.IGNORECASE)


def reduced_precision(settings: Mapping[str, Any]) -> dict[str, str]:
    """The precision of each phase of a row that was not computed or stored in fp32, in order.

    ``settings`` are a row's (:func:`muver.reproduction.settings.rows.row_settings`). A fusion has
    the phases of its parts. "storage" is the precision of the vectors on disk. "scores" names an
    approximate index that scores with rounded vectors; an index whose candidates are scored again
    with the vectors on disk does not count, as its agreement already shows the cost.

    >>> reduced_precision({"model": {"precision": "bf16"}, "precision": "fp32"})
    {'training': 'bf16'}
    """
    reduced = [pair for pair in _used(settings) if pair[1] != FULL]
    return {phase: used for phase in PHASES for of_phase, used in reduced if of_phase == phase}


def in_words(precision: Mapping[str, str]) -> str:
    """A result of :func:`reduced_precision` in words, such as ``training bf16, encoding bf16``."""
    return ", ".join(f"{phase} {used}" for phase, used in precision.items())


def _used(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Phase and precision of each part of a row."""
    if "precision" in settings:
        yield "encoding", settings["precision"]
    model = settings.get("model", {})
    for trained in model.get("best_of", {"": model}).values():
        if "precision" in trained:
            yield "training", trained["precision"]
    if "dtype" in settings:
        yield "storage", settings["dtype"]
    index = settings.get("index")
    rescored = settings.get("retrieve", {}).get("rescore", True)
    if index is not None and not rescored and not WHOLE.search(index["factory"]):
        yield "scores", f"of {index['factory']}"
    for part in settings.get("parts", []):
        yield from _used(part)


Resample = Literal["documents", "mentions"]


class Evaluate(Settings):
    """How runs are scored: the k of recall@k, and what intervals and tests treat as independent."""

    cutoffs: Some[Count]
    resample: Resample

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoffs != sorted(self.cutoffs):
            raise ValueError(f"cutoffs must increase, not {self.cutoffs}.")


class Scoring(Evaluate):
    """The ``--settings`` of ``muver stage evaluate``.

    ``row`` has all settings of the table's row: ``retrieve`` those of the run, and ``index``, if
    present, those of the index (null: exact search). ``agreement`` is the least with exact search
    that a run made with an index must have.
    """

    row: dict[str, Any]
    agreement: Share = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.row.get("retrieve"), dict):
            raise ValueError("row.retrieve must hold the settings of the retrieve stage.")
