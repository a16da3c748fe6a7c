"""A result's numbers by row, as a metrics file has them: a name and a number, nothing nested."""

from collections.abc import Callable, Mapping
from typing import Any

from muver.io.errors import InputError

Numbers = dict[str, float]
Table = Mapping[str, Any]
Row = Mapping[str, Any]


def numbers_of(table: Table) -> dict[str, Numbers]:
    """What a table measured of each of its rows.

    Parameters
    ----------
    table
        The JSON of a table of recall, or of the grid.

    Returns
    -------
    By the system of the row, recall in percent at every cutoff, ``R@01`` to ``R@64``, so that names
    sort as numbers do; by set of Table 2, ``R@010 msnbc``; with Table 3's cutoff alone and
    ``views``, the mean number an entity; by world at the greatest cutoff, ``R@64 lego``; at a point
    of the grid, ``R@64 validation`` and the ``step`` where it was reached.

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
