"""Reads the evaluations that a table is made of, one of each system on each set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.reproduction.tables.tables_settings import Row
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.evaluation.records import Evaluation, read_evaluation, reduced_precision


@dataclass(frozen=True)
class Evaluations:
    """The evaluations on one set by system, with the same mentions and cutoffs."""

    by_system: Mapping[str, Evaluation]
    files: Mapping[str, Path]  # each beside its gold ranks

    @property
    def first(self) -> Evaluation:
        """The first evaluation, for what all have in common."""
        return next(iter(self.by_system.values()))

    def ranks(self, system: str) -> pa.Table:
        """The rank of each mention's gold entity, from the file beside the evaluation."""
        return read_ranks(self.files[system].with_suffix(".parquet"))


BySet = Mapping[str, Evaluations]


def of_system(system: str, by_set: BySet) -> dict[str, Evaluation]:
    """A system's evaluations by set."""
    return {name: on_set.by_system[system] for name, on_set in by_set.items()}


def fields_of_row(row: Row, by_set: BySet) -> dict[str, Any]:
    """The fields of :class:`.records.Row`, from the evaluations by set.

    What validation chose for it ends the footnote.
    """
    evaluations = of_system(row.system, by_set)
    first = next(iter(evaluations.values()))
    notes = [row.note, *(choice.in_words for choice in first.choices)]
    if first.set == "val" and any(choice.among for choice in first.choices):
        notes.append("These mentions made the choice, which flatters the row.")
    return {
        "method": row.method,
        "system": row.system,
        "note": " ".join(filter(None, notes)) or None,
        "row_key": key_of(evaluations),
        "precision": reduced_precision(first.settings),
    }


def read_evaluations(
    files: Sequence[Path], systems: Sequence[str], sets: Sequence[str] | None = None
) -> dict[str, Evaluations]:
    """An evaluation of each of ``systems`` on each of ``sets`` (without: on any set), by set."""
    read: dict[str, dict[str, tuple[Evaluation, Path]]] = {}
    for path in files:
        evaluation = read_evaluation(path)
        read.setdefault(evaluation.set, {})[evaluation.system] = evaluation, path
    by_set = {}
    for name in sets or read or ("any set",):
        on_set = read.get(name, {})
        if missing := [system for system in systems if system not in on_set]:
            raise InputError(f"no evaluation of {', '.join(missing)} on {name} was given.")
        by_system = {system: on_set[system][0] for system in systems}
        by_set[name] = Evaluations(by_system, {system: on_set[system][1] for system in systems})
    return by_set


def only_set(by_set: BySet) -> Evaluations:
    """The evaluations of a result that has one set."""
    if len(by_set) > 1:
        raise InputError(f"evaluations on {', '.join(by_set)} were given, expected one set.")
    return next(iter(by_set.values()))


def key_of(evaluations: Mapping[str, Evaluation]) -> str:
    """The key of a row, from its evaluations by set."""
    first = next(iter(evaluations.values()))
    return row_key(first.settings, data_fingerprint(evaluations))


def row_key(settings: Mapping[str, Any], fingerprint: str) -> str:
    """12 hexadecimal digits, from all settings of a row with its seed, and its data's fingerprint.

    >>> row_key({"seed": 1}, "b413d3dfad8b10b4")
    'f0700b6d4d85'
    """
    return short_hash({"settings": dict(settings), "data": fingerprint})


def data_fingerprint(evaluations: Mapping[str, Evaluation]) -> str:
    """The fingerprint of a row's data: of the dataset's raw files, or of all sets over a base.

    ``evaluations`` has one of the row's evaluations for each set, by name, in any order.
    """
    first = next(iter(evaluations.values()))
    if first.kb is None:
        return first.fingerprint
    return short_hash(
        {name: evaluation.fingerprint for name, evaluation in evaluations.items()}, 16
    )
