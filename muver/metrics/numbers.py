"""A result's numbers by row, as a metrics file has them: a name and a number, nothing nested."""

from collections.abc import Mapping
from typing import Any

from muver.io.errors import InputError

Numbers = dict[str, float]


def numbers_of(table: Mapping[str, Any]) -> dict[str, Numbers]:
    """What a table measured of each of its rows.

    Parameters
    ----------
    table
        The JSON of a table of recall, or of the grid.

    Returns
    -------
    By the key of the row, recall in percent at every cutoff, ``R@01`` to ``R@64``, so that names
    sort as numbers do; with Table 3's cutoff alone and ``views``, the mean number an entity; by
    world at the greatest cutoff, ``R@64 lego``; by set of Table 2, ``R@010 msnbc``; at a point of
    the grid, ``R@64 validation`` and the ``step`` where it was reached.

    Raises
    ------
    InputError
        If the rows are of none of these forms.
    """
    found: dict[str, Numbers] = {}
    for row in table["rows"]:
        found.setdefault(row["system"], {}).update(_numbers(table, row))
    return found


def _numbers(table: Mapping[str, Any], row: Mapping[str, Any]) -> Numbers:
    if "domain" in row:
        k = table["cutoffs"][-1]
        return {f"R@{k} {row['domain']}": row["recall"][str(k)]}
    if "step" in row:
        return {f"R@{table['cutoff']} validation": row["recall"], "step": row["step"]}
    if "search" in row:
        views = row["views_per_entity"]
        recall = {f"R@{table['cutoff']}": row["micro"][str(table["cutoff"])]}
        return recall if views is None else {**recall, "views": views}
    if "sets" in row:
        return {
            f"{column} {name}": recall
            for name, part in row["sets"].items()
            for column, recall in _by_cutoff(table, part).items()
        }
    if "micro" in row:
        return _by_cutoff(table, row)
    raise InputError(f"{table.get('name')}: its rows have no recall, so they are no metrics.")


def _by_cutoff(table: Mapping[str, Any], row: Mapping[str, Any]) -> Numbers:
    width = len(str(max(table["cutoffs"])))
    return {f"R@{k:0{width}}": row["micro"][str(k)] for k in table["cutoffs"]}
