"""The numbers of each row of a result as flat names and values, for metrics files."""

from collections.abc import Callable, Mapping
from typing import Any

from muver.io.errors import InputError

Numbers = dict[str, float]
Table = Mapping[str, Any]
Row = Mapping[str, Any]


def numbers_of(table: Table) -> dict[str, Numbers]:
    """The numbers of each row of a table.

    Parameters
    ----------
    table
        The JSON of a table of recall, or of the grid.

    Returns
    -------
    By system, recall in percent under names that depend on the table: ``R@01`` to ``R@64`` (zeros
    make them sort as numbers); ``R@010 msnbc`` with a set of Table 2; ``R@64`` and the mean number
    of ``views`` per entity in Table 3; ``R@64 lego`` with a world of Table 6; ``R@64 validation``
    and the ``step`` that reached it in the grid.

    Raises
    ------
    InputError
        If the table's rows have no recall.
    """
    if table.get("kind") not in NUMBERS:
        raise InputError(f"{table.get('name')}: its rows have no recall, so they are no metrics.")
    found: dict[str, Numbers] = {}
    for row in table["rows"]:
        found.setdefault(row["system"], {}).update(NUMBERS[table["kind"]](table, row))
    return found


def _by_set(table: Table, row: Row) -> Numbers:
    width = len(str(max(table["cutoffs"])))
    return {
        f"R@{k:0{width}}" + (f" {name}" if table["kb"] else ""): part["micro"][str(k)]
        for name, part in row["sets"].items()
        for k in table["cutoffs"]
    }


def _views(table: Table, row: Row) -> Numbers:
    views = row["views_per_entity"]
    recall = {f"R@{table['cutoff']}": row["micro"][str(table["cutoff"])]}
    return recall if views is None else {**recall, "views": views}


def _domain(table: Table, row: Row) -> Numbers:
    k = table["cutoffs"][-1]
    return {f"R@{k} {row['domain']}": row["recall"][str(k)]}


def _point(table: Table, row: Row) -> Numbers:
    return {f"R@{table['cutoff']} validation": row["recall"], "step": row["step"]}


NUMBERS: dict[str, Callable[[Table, Row], Numbers]] = {
    "comparison": _by_set,
    "views": _views,
    "domains": _domain,
    "grid": _point,
}
