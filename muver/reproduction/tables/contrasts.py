"""Contrasts: which of two rows finds more, and by how much.

Both rows rank the same mentions, so their difference is known far better than either number, and a
verdict on it can fail where one on a number cannot.
"""

from collections.abc import Iterator, Sequence
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from muver.reproduction.tables import paper
from muver.reproduction.tables.evaluations import BySet, Evaluations
from muver.reproduction.tables.records import (
    LEFT_OUT,
    Contrast,
    Published,
    Table,
    TableRow,
    layers_of,
)
from muver.retriever.evaluation.significance import all_paired

Asked = tuple[str, tuple[str, str], str]  # the kind, the two systems, and both in words


def pairs_of_rows(
    table: Table, asked: Sequence[tuple[str, str]], by_set: BySet
) -> Iterator[Contrast]:
    """Pairs of rows, over seeds where there are any, and each row with the one of ``against``."""
    rows = {row.system: row for row in table.rows}
    if table.layout == "views":
        named = dict(_distant_minus_close(table.rows))
    else:
        pairs = [pair for pair in asked if rows.keys() >= {*pair}]
        named = {pair: " minus ".join(rows[system].method for system in pair) for pair in pairs}
    once = [("contrast", pair, method) for pair, method in named.items()] + _against(table)
    for on_set in by_set.values():
        for world in on_set.first.worlds if table.layout == "domains" else ("",):
            yield from _tested(table, on_set, once, world)
        for pair, method in named.items():  # each alone, as rows may have other numbers of seeds
            if min(len(rows[system].seeds) for system in pair) > 1:
                yield from _tested(table, on_set, [("seeds", pair, method)])


def _against(table: Table) -> list[Asked]:
    """Each row with the one of ``against``, or with that one under the row's own protocol."""
    protocols = {line.row: line.protocol for line in table.lines}
    names = {row.system: row.method.removesuffix(f", {LEFT_OUT}") for row in table.rows}
    same = [row for row, name in names.items() if name == names.get(table.against)]
    tested = {protocols[row]: row for row in (*same, *filter(names.get, [table.against]))}
    return [
        ("against", (row.system, tested[protocols[row.system]]), row.method)
        for row in table.rows
        if tested.get(protocols[row.system], row.system) != row.system
    ]


def _distant_minus_close(rows: Sequence[TableRow]) -> Iterator[tuple[tuple[str, str], str]]:
    """Distant minus close after each layer, for searches that differ only in this."""
    for line in layers_of(rows):
        if line.keys() >= {"distant", "close"}:
            distant = line["distant"]
            method = f"{distant.method}, layer {distant.merged.layers} ({distant.merged.reading})"
            yield (distant.system, line["close"].system), f"{method}: distant minus close"


def _tested(
    table: Table, evaluations: Evaluations, asked: Sequence[Asked], world: str = ""
) -> Iterator[Contrast]:
    """The contrasts of pairs at each cutoff, in a world or in all."""

    @cache
    def ranks(system: str, seeds: bool) -> pa.Table:
        systems = table.row(system).seeds if seeds else [system]
        ranked = pa.concat_tables(map(evaluations.ranks, systems))
        return ranked.filter(pc.equal(ranked["world"], world)) if world else ranked

    def published(system: str, k: int) -> Published | None:
        line = table.line(table.row(system).row_key, k, first.set, world)
        return table.judged(line).get("paper")

    if not asked:
        return
    first = evaluations.first
    pairs = [[ranks(system, kind == "seeds") for system in pair] for kind, pair, _ in asked]
    paired = all_paired(pairs, table.cutoffs, first.resample)
    for (kind, pair, method), tested in zip(asked, paired, strict=True):
        for k, difference in tested.difference.items():
            (low, high), claimed = tested.interval[k], None
            theirs = [published(system, k) for system in pair]
            if kind != "against" and all(theirs):
                claimed = theirs[0].recall - theirs[1].recall
            yield Contrast(
                kind=kind, method=method, first=pair[0], second=pair[1], set=first.set, world=world,
                k=k, difference=difference, low=low, high=high, p_value=tested.p_value[k],
                won=tested.won[k], lost=tested.lost[k], paper=claimed,
                verdict=None if claimed is None else paper.claim(difference, (low, high), claimed),
            )  # fmt: skip
