"""What an evaluation's file holds: recall of one run on one set, and what it was made from."""

from pathlib import Path
from typing import Any

from muver.io.records import Record, read_record
from muver.runs.approximate import Index

Percent = dict[int, float]  # by cutoff; of differences points
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
    """Recall with 95% intervals.

    Attributes
    ----------
    micro
        Every mention counts the same, as in the paper's tables.
    macro
        Every world counts the same.
    worlds
        By name, sorted.
    """

    mentions: int
    hits: Counts
    micro: Percent
    macro: Percent
    worlds: dict[str, World]
    interval: Means


class KnowledgeBase(Record):
    """The knowledge base that mentions are linked to."""

    entities: int
    fingerprint: str


class Evaluation(Record):
    """A run's scores on a set.

    Attributes
    ----------
    identified_as
        The declared dataset whose published counts these are, or None.
    kb
        None for worlds.
    outside
        Mentions that are not scored, as their gold entity is not in the knowledge base.
    matched_by_title
        Mentions whose gold entity was found by its title alone.
    settings
        All settings of the row, from which its key is made.
    precision
        The phases that were not in fp32 (:func:`muver.evaluation.precision.reduced_precision`).
    resample
        The units that intervals treat as independent: ``documents`` or ``mentions``.
    index
        None for exact search.
    model
        The model's fingerprint, where the run's manifest names it.
    run_sha256
        Shows whether the run was changed after it was scored.
    """

    system: str
    dataset: str
    set: str
    fingerprint: str
    identified_as: str | None
    kb: KnowledgeBase | None
    outside: int
    matched_by_title: int
    settings: dict[str, Any]
    precision: dict[str, str]
    cutoffs: list[int]
    resample: str
    mentions: int
    hits: Counts
    micro: Percent
    macro: Percent
    worlds: dict[str, World]
    interval: Means
    views_per_entity: float | None
    index: Index | None
    model: str | None
    run_sha256: str

    @property
    def scores(self) -> Scores:
        """Its recall, without what it was made from."""
        return Scores(**{name: getattr(self, name) for name in Scores.__struct_fields__})


def read_evaluation(path: Path) -> Evaluation:
    """Read the file of ``muver evaluate``; an InputError says why it is none."""
    return read_record(path, Evaluation, "an evaluation", "Run the evaluate stage again.")
