"""Reads the evaluations of a table and checks that they belong together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from muver.evaluation import bootstrap, significance
from muver.evaluation.precision import reduced_precision
from muver.evaluation.ranks import hits_at, read_ranks
from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.tables import paper
from muver.tables.keys import data_fingerprint, row_key
from muver.tables.settings import Row

Evaluation = dict[str, Any]
OF_SET = (
    "set", "fingerprint", "identified_as", "mentions", "outside", "matched_by_title",
)  # fmt: skip
OF_TABLE = ("dataset", "kb", "cutoffs", "resample")
OF_ROW = ("settings", "model")
KEYS = (
    "system", *OF_TABLE, *OF_SET, *OF_ROW, "hits", "micro", "macro", "worlds", "interval",
    "views_per_entity", "index",
)  # fmt: skip
COUNTS = ("dataset", "fingerprint", "identified_as", "worlds", "mentions", "entities")


class TableFiles(NamedTuple):
    """The input files of a table.

    Attributes
    ----------
    evaluations
        Evaluations, next to their gold ranks.
    counts
        The corpus's counts, which also show the worlds without mentions.
    encoder
        Directory of the encoder in use.
    """

    evaluations: Sequence[Path] = ()
    counts: Path | None = None
    encoder: Path | None = None


@dataclass(frozen=True)
class Evaluations:
    """The evaluations on one set by system, with the same mentions and cutoffs.

    Attributes
    ----------
    files
        The file of each evaluation; the gold ranks are next to it.
    without_mentions
        Worlds without mentions.
    """

    by_system: Mapping[str, Evaluation]
    files: Mapping[str, Path]
    without_mentions: Sequence[str] = ()

    @property
    def first(self) -> Evaluation:
        """The first evaluation, for what all have in common."""
        return next(iter(self.by_system.values()))

    def ranks(self, system: str) -> pa.Table:
        """The rank of each mention's gold entity, from the file next to the evaluation.

        Raises
        ------
        InputError
            If the file is missing, damaged, or has other hits than the evaluation.
        """
        path, evaluation = self.files[system].with_suffix(".parquet"), self.by_system[system]
        table = read_ranks(path)
        hits = {str(k): int(hits_at(table, k).sum()) for k in evaluation["cutoffs"]}
        if hits != evaluation["hits"]:
            raise InputError(
                f"{path}: has the hits {hits}, {self.files[system]} has {evaluation['hits']}: a "
                "results file from other parameters. Run the evaluate stage again."
            )
        return table

    def paired(self, first: str, second: str, world: str | None = None) -> dict[str, Any]:
        """The recall of one system minus another's (:func:`muver.evaluation.significance.paired`).

        Parameters
        ----------
        world
            Compare only on the mentions of this world.
        """
        ranks = [self.ranks(system) for system in (first, second)]
        if world is not None:
            ranks = [table.filter(pc.equal(table["world"], world)) for table in ranks]
        return significance.paired(*ranks, self.first["cutoffs"], self.first["resample"])

    def published(
        self, name: str, system: str, domain: str | None = None, source: str = "values"
    ) -> paper.Recall | None:
        """A row's published recall (:func:`muver.tables.paper.published`); None on other data."""
        if not paper.is_papers(self.first):
            return None
        part = domain or paper.column(self.first)
        return paper.published(name, system, self.first["cutoffs"], part or None, source)

    def describe(self) -> dict[str, Any]:
        """The set's entry in the head of a table's JSON."""
        return {
            **{key: self.first[key] for key in OF_SET},
            "column": paper.column(self.first),
            "worlds": sorted(self.first["worlds"]),
            "worlds_without_mentions": list(self.without_mentions),
            "published": paper.published_size(self.first),
            "of_paper": paper.is_papers(self.first),
        }


def head(name: str, kind: str, caption: str, found: Mapping[str, Evaluations]) -> dict[str, Any]:
    """The head of a table's JSON.

    Returns
    -------
    ``name``, ``kind`` and ``caption``; ``dataset``, its ``fingerprint`` and ``kb`` (None for
    worlds); ``cutoffs``, ``resample`` and the method of an ``interval``; the ``sets`` with their
    counts, the name of their ``column`` ("" for worlds) and whether they are the paper's
    (``of_paper``); and the ``paper``, with a ``note`` if its numbers are not comparable.
    """
    first = next(iter(found.values())).first
    sets = [evaluations.describe() for evaluations in found.values()]
    return {
        "name": name,
        "kind": kind,
        "caption": caption,
        "dataset": first["dataset"],
        "fingerprint": data_fingerprint({one["set"]: {**first, **one} for one in sets}),
        **{key: first[key] for key in ("kb", "cutoffs", "resample")},
        "interval": bootstrap.method(first["resample"]),
        "sets": sets,
        "paper": {
            "source": paper.paper()["source"],
            "dataset": (paper.paper()["table2"] if first["kb"] else paper.paper())["dataset"],
            "tolerance": paper.paper()["tolerance"],
            "note": paper.comparability_of_sets(name, first, sets),
        },
    }


def identity(row: Row, found: Mapping[str, Evaluations]) -> dict[str, Any]:
    """A row's names and footnote, its key, and its precision."""
    evaluations = {name: one.by_system[row.system] for name, one in found.items()}
    settings = next(iter(evaluations.values()))["settings"]
    return {
        "method": row.method,
        "system": row.system,
        "note": row.note,
        "row_key": row_key(settings, data_fingerprint(evaluations)),
        "precision": reduced_precision(settings),
    }


def read_evaluations(
    files: TableFiles, systems: Sequence[str], sets: Sequence[str] | None = None
) -> dict[str, Evaluations]:
    """Read the evaluations of a table, by set.

    Parameters
    ----------
    files
        An evaluation of each system on each set.
    systems, sets
        The systems and sets to expect; without ``sets``, any sets.

    Raises
    ------
    InputError
        If a file is missing, superfluous or of another version, if evaluations differ in their data
        or cutoffs, or if a system has other settings or another model on one set than on another.
    """
    by_set: dict[str, dict[str, Evaluation]] = {name: {} for name in sets or ()}
    where: dict[str, dict[str, Path]] = {}
    for path in files.evaluations:
        evaluation = _read(path, KEYS, "an evaluation", "evaluate")
        name, system = evaluation["set"], evaluation["system"]
        if sets is not None and name not in sets:
            raise InputError(
                f"{path}: belongs to the set {name!r}, the table has {', '.join(sets)}."
                f"{did_you_mean(name, sets)}"
            )
        before = where.setdefault(name, {}).setdefault(system, path)
        if system in by_set.setdefault(name, {}):
            raise InputError(f"two evaluations of {system} on {name} were given: {before}, {path}.")
        by_set[name][system] = evaluation
    for name, own in (by_set or {"any set": {}}).items():
        if missing := [system for system in systems if system not in own]:
            raise InputError(f"no evaluation of {', '.join(missing)} on {name} was given.")
        if extra := sorted(own.keys() - set(systems)):
            raise InputError(f"evaluations of {', '.join(extra)} were given, which have no row.")
    _check_same(by_set, systems[0])
    empty = [] if files.counts is None else _without_mentions(files.counts, by_set)
    return {name: Evaluations(own, where[name], empty) for name, own in by_set.items()}


def read_one_set(files: TableFiles, systems: Sequence[str]) -> Evaluations:
    """Read the evaluations of a result on one set."""
    found = read_evaluations(files, systems)
    if len(found) > 1:
        raise InputError(f"evaluations on {', '.join(found)} were given, expected one set.")
    return next(iter(found.values()))


def read_counts(path: Path) -> dict[str, Any]:
    """Read the counts of the corpus stage."""
    return _read(path, COUNTS, "the counts of a corpus", "corpus")


def _read(path: Path, keys: Sequence[str], what: str, stage: str) -> dict[str, Any]:
    content = read_json(path)
    missing = [key for key in keys if not isinstance(content, dict) or key not in content]
    if missing:
        raise InputError(
            f"{path}: not {what} of this version (no {', '.join(missing)}). Run the {stage} stage "
            "again."
        )
    return content


def _check_same(by_set: Mapping[str, Mapping[str, Evaluation]], system: str) -> None:
    """Refuse evaluations of a set, table or row that differ in what they must share."""
    rows = next(iter(by_set.values()))
    for name, own in by_set.items():
        for other in own.values():
            pairs = {
                **{key: (own[system][key], other[key]) for key in OF_SET},
                **{key: (rows[system][key], other[key]) for key in OF_TABLE},
                **{key: (rows[other["system"]][key], other[key]) for key in OF_ROW},
                "worlds": (_sizes(own[system]), _sizes(other)),
            }
            for key, (expected, value) in pairs.items():
                if value != expected:
                    raise InputError(
                        f"evaluation of {other['system']} on {name}: {key} is {value}, elsewhere "
                        f"{expected}: a results file from other parameters. Run the evaluate stage "
                        "again for all rows."
                    )


def _sizes(evaluation: Evaluation) -> dict[str, int]:
    return {world: part["mentions"] for world, part in evaluation["worlds"].items()}


def _without_mentions(counts: Path, by_set: Mapping[str, Mapping[str, Evaluation]]) -> list[str]:
    """Worlds without mentions, which belong to no split."""
    known = read_counts(counts)
    evaluation = next(iter(next(iter(by_set.values())).values()))
    if known["fingerprint"] != evaluation["fingerprint"]:
        raise InputError(
            f"{counts}: counts of other data than the evaluations' ({known['dataset']}, "
            f"fingerprint {known['fingerprint']}). Run the corpus stage again."
        )
    return sorted(world for world, part in known["worlds"].items() if part["mentions"] == 0)
