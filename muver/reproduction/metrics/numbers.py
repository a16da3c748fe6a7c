"""The numbers of each row of a result as flat names and values, for metrics files."""

from muver.io.errors import InputError
from muver.reproduction.tables.records import (
    AnyResult,
    ComparedRow,
    ComparisonTable,
    DomainRow,
    DomainsTable,
    GridResult,
    LayersRow,
    PointRow,
    ViewsTable,
)

Numbers = dict[str, float]


def numbers_of(table: AnyResult) -> dict[str, Numbers]:
    """The numbers of each row of a table of recall, or of the grid.

    Returns
    -------
    By system, recall in percent under names that depend on the table: ``R@01`` to ``R@64`` (zeros
    make them sort as numbers); ``R@010 msnbc`` with a set of Table 2; ``R@64`` and the mean number
    of ``views`` per entity in Table 3; ``R@64 lego`` with a world of Table 6; ``R@64 validation``
    and the ``step`` that reached it in the grid.
    """
    if type(table) not in NUMBERS:
        raise InputError(f"{table.name}: its rows have no recall, so they are no metrics.")
    found: dict[str, Numbers] = {}
    for row in table.rows:
        found.setdefault(row.system, {}).update(NUMBERS[type(table)](table, row))
    return found


def _by_set(table: ComparisonTable, row: ComparedRow) -> Numbers:
    width = len(str(max(table.cutoffs)))
    return {
        f"R@{k:0{width}}" + (f" {name}" if table.kb else ""): part.micro[k]
        for name, part in row.sets.items()
        for k in table.cutoffs
    }


def _views(table: ViewsTable, row: LayersRow) -> Numbers:
    recall = {f"R@{table.cutoff}": row.part.micro[table.cutoff]}
    return recall if row.views_per_entity is None else {**recall, "views": row.views_per_entity}


def _domain(table: DomainsTable, row: DomainRow) -> Numbers:
    k = table.cutoffs[-1]
    return {f"R@{k} {row.domain}": row.part.micro[k]}


def _point(table: GridResult, row: PointRow) -> Numbers:
    return {f"R@{table.cutoff} validation": row.recall, "step": row.step}


NUMBERS = {ComparisonTable: _by_set, ViewsTable: _views, DomainsTable: _domain, GridResult: _point}
