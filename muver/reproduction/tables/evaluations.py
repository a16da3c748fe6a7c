"""Reads the evaluations that a table is made of, one of each system on each set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import short_hash
from muver.reproduction.tables import paper, records
from muver.reproduction.tables.tables_settings import Row
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.evaluation import bootstrap
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.evaluation.records import Evaluation, read_evaluation, reduced_precision

OF_SET = ("set", "fingerprint", "identified_as", "mentions", "outside", "matched_by_title")


@dataclass(frozen=True)
class Evaluations:
    """The evaluations on one set by system, with the same mentions and cutoffs."""

    by_system: Mapping[str, Evaluation]
    files: Mapping[str, Path]  # each beside its gold ranks
    without_mentions: Sequence[str] = ()  # worlds

    @property
    def first(self) -> Evaluation:
        """The first evaluation, for what all have in common."""
        return next(iter(self.by_system.values()))

    @property
    def column(self) -> str:
        """What tables call the set; "" for a split of worlds."""
        return paper.column(self.first)

    def ranks(self, system: str) -> pa.Table:
        """The rank of each mention's gold entity, from the file beside the evaluation."""
        return read_ranks(self.files[system].with_suffix(".parquet"))


def head_of(name: str, caption: str, found: Mapping[str, Evaluations]) -> dict[str, Any]:
    """The fields of a table that its evaluations by set give."""
    first, published = next(iter(found.values())).first, paper.paper()
    sets = [_set_of(evaluations) for evaluations in found.values()]
    note = paper.comparability_of_sets(name, first, sets)
    data = (published["table2"] if first.kb else published)["dataset"]
    return {
        "name": name,
        "caption": caption,
        "dataset": first.dataset,
        "fingerprint": data_fingerprint({name: on_set.first for name, on_set in found.items()}),
        "kb": first.kb,
        "resample": first.resample,
        "interval": bootstrap.method(first.resample),
        "sets": sets,
        "paper": records.Reference(published["source"], data, published["tolerance"], note),
    }


def _set_of(found: Evaluations) -> records.TableSet:
    return records.TableSet(
        **{key: getattr(found.first, key) for key in OF_SET},
        column=found.column,
        worlds=sorted(found.first.worlds),
        worlds_without_mentions=list(found.without_mentions),
        published=paper.published_size(found.first),
        of_paper=paper.is_papers(found.first),
    )


def fields_of_row(row: Row, evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """The fields of :class:`.records.Row`, from a row's evaluations by set.

    What validation chose for it ends the footnote.
    """
    first = next(iter(evaluations.values()))
    said = [row.note, *(choice.in_words for choice in first.choices)]
    if first.set == "val" and any(choice.among for choice in first.choices):
        said.append("These mentions made the choice, which flatters the row.")
    return {
        "method": row.method,
        "system": row.system,
        "note": " ".join(filter(None, said)) or None,
        "row_key": key_of(evaluations),
        "precision": reduced_precision(first.settings),
    }


def read_evaluations(
    files: Sequence[Path],
    systems: Sequence[str],
    sets: Sequence[str] | None = None,
    counts: Path | None = None,
) -> dict[str, Evaluations]:
    """An evaluation of each of ``systems`` on each of ``sets`` (without: on any set), by set.

    The corpus's ``counts`` tell which worlds have no mentions.
    """
    read: dict[str, dict[str, tuple[Evaluation, Path]]] = {}
    for path in files:
        evaluation = read_evaluation(path)
        read.setdefault(evaluation.set, {})[evaluation.system] = evaluation, path
    worlds = read_counts(counts).worlds if counts else {}
    empty = sorted(world for world, part in worlds.items() if part.mentions == 0)
    found = {}
    for name in sets or read or ("any set",):
        on_set = read.get(name, {})
        if missing := [system for system in systems if system not in on_set]:
            raise InputError(f"no evaluation of {', '.join(missing)} on {name} was given.")
        by_system = {system: on_set[system][0] for system in systems}
        where = {system: on_set[system][1] for system in systems}
        found[name] = Evaluations(by_system, where, empty)
    return found


def only_set(found: Mapping[str, Evaluations]) -> Evaluations:
    """The evaluations of a result that has one set."""
    if len(found) > 1:
        raise InputError(f"evaluations on {', '.join(found)} were given, expected one set.")
    return next(iter(found.values()))


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
