"""Reads the evaluations that a table is made of, one of each system on each set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.reproduction.tables import paper, records
from muver.reproduction.tables.keys import data_fingerprint, row_key
from muver.reproduction.tables.settings import Row
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.evaluation import bootstrap, significance
from muver.retriever.evaluation.precision import reduced_precision
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.evaluation.records import Evaluation, Percent, read_evaluation

OF_SET = ("set", "fingerprint", "identified_as", "mentions", "outside", "matched_by_title")
RowKind = TypeVar("RowKind", bound=records.Row)
TableKind = TypeVar("TableKind", bound=records.RecallTable)


class TableFiles(NamedTuple):
    """The input files of a table (:func:`.stage.make_table`)."""

    evaluations: Sequence[Path] = ()
    counts: Path | None = None
    encoder: Path | None = None
    mentions: Path | None = None


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

    def paired(
        self, first: Sequence[str], second: Sequence[str], world: str | None = None
    ) -> significance.Paired:
        """One system minus another (:func:`.significance.paired`), in one world or in all.

        Each is given by the systems of its seeds, whose outcomes count together.
        """
        ranks = [pa.concat_tables(map(self.ranks, systems)) for systems in (first, second)]
        if world is not None:
            ranks = [table.filter(pc.equal(table["world"], world)) for table in ranks]
        return significance.paired(*ranks, self.first.cutoffs, self.first.resample)

    def published(
        self, name: str, system: str, domain: str | None = None, source: str = "values"
    ) -> Percent:
        """A row's published recall (:func:`.paper.published`); none on other data."""
        if not paper.is_papers(self.first):
            return {}
        part = domain or self.column or None
        return paper.published(name, system, self.first.cutoffs, part, source)


def table_of(
    kind: type[TableKind], name: str, caption: str, found: Mapping[str, Evaluations], **own: Any
) -> TableKind:
    """A table with the head that its evaluations by set give, and its ``own`` fields."""
    first = next(iter(found.values())).first
    sets = [_set_of(evaluations) for evaluations in found.values()]
    return kind(
        name=name,
        caption=caption,
        dataset=first.dataset,
        fingerprint=data_fingerprint({name: one.first for name, one in found.items()}),
        kb=first.kb,
        cutoffs=first.cutoffs,
        resample=first.resample,
        interval=bootstrap.method(first.resample),
        sets=sets,
        paper=records.Reference(
            source=paper.paper()["source"],
            dataset=(paper.paper()["table2"] if first.kb else paper.paper())["dataset"],
            tolerance=paper.paper()["tolerance"],
            note=paper.comparability_of_sets(name, first, sets),
        ),
        **own,
    )


def _set_of(found: Evaluations) -> records.TableSet:
    return records.TableSet(
        **{key: getattr(found.first, key) for key in OF_SET},
        column=found.column,
        worlds=sorted(found.first.worlds),
        worlds_without_mentions=list(found.without_mentions),
        published=paper.published_size(found.first),
        of_paper=paper.is_papers(found.first),
    )


def row_of(kind: type[RowKind], row: Row, found: Mapping[str, Evaluations], **own: Any) -> RowKind:
    """A row with its names, footnote, key and precision, and its ``own`` fields.

    What validation chose for it ends the footnote.
    """
    evaluations = {name: one.by_system[row.system] for name, one in found.items()}
    first = next(iter(evaluations.values()))
    settings, said = first.settings, [row.note, *(one.in_words for one in first.choices)]
    if first.set == "val" and any(one.among for one in first.choices):
        said.append("These mentions made the choice, which flatters the row.")
    return kind(
        method=row.method,
        system=row.system,
        note=" ".join(filter(None, said)) or None,
        row_key=row_key(settings, data_fingerprint(evaluations)),
        precision=reduced_precision(settings),
        **own,
    )


def read_evaluations(
    files: TableFiles, systems: Sequence[str], sets: Sequence[str] | None = None
) -> dict[str, Evaluations]:
    """An evaluation of each of ``systems`` on each of ``sets`` (without: on any set), by set."""
    given: dict[str, dict[str, tuple[Evaluation, Path]]] = {}
    for path in files.evaluations:
        one = read_evaluation(path)
        given.setdefault(one.set, {})[one.system] = one, path
    worlds = read_counts(files.counts).worlds if files.counts else {}
    empty = sorted(world for world, part in worlds.items() if part.mentions == 0)
    found = {}
    for name in sets or given or ("any set",):
        own = given.get(name, {})
        if missing := [system for system in systems if system not in own]:
            raise InputError(f"no evaluation of {', '.join(missing)} on {name} was given.")
        by_system = {system: own[system][0] for system in systems}
        where = {system: own[system][1] for system in systems}
        found[name] = Evaluations(by_system, where, empty)
    return found


def read_one_set(files: TableFiles, systems: Sequence[str]) -> Evaluations:
    """The evaluations of a result that has one set."""
    found = read_evaluations(files, systems)
    if len(found) > 1:
        raise InputError(f"evaluations on {', '.join(found)} were given, expected one set.")
    return next(iter(found.values()))
