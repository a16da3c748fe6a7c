"""Grids beside Table 2's numbers: counts of mentions, and how candidates were found."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.tables.page import Section

Table = Mapping[str, Any]
Line = Mapping[str, Any]


def lines_of(table: Table) -> list[Line]:
    """Rows as the further grids have them: a line a set and method."""
    return [
        {"method": row["method"], "set": one["column"], **row["sets"][one["set"]]}
        for one in table["sets"]
        for row in table["rows"]
    ]


def counts(table: Table) -> Section:
    """Mentions of each set: in all, inside and outside the knowledge base, found by title."""
    header = [
        "Set", "mentions", "In-KB", "outside the KB", "by title only", "the paper's mentions",
        "BLINK's In-KB",
    ]  # fmt: skip
    grid = []
    for one in table["sets"]:
        theirs = one["published"] or {}
        numbers = [one[key] for key in ("mentions_in_all", "mentions", "outside_kb")]
        texts = [*map(str, numbers), str(one["matched_by_title"])]
        texts += [str(theirs.get(key, "")) for key in ("mentions", "support")]
        grid.append([one["column"], *texts])
    note = (
        "Gold entities are found by Wikipedia id and, where linking.match says so, else by title; "
        "recall leaves out those that are outside. The paper gives the number of mentions in all, "
        "and quotes BLINK's numbers, which are over the mentions inside BLINK's own catalogue."
    )
    return Section("Mentions", note, header, grid)


def search(lines: Sequence[Line]) -> Section:
    """How each row searched each set: views an entity, the index and its agreement."""
    header = [
        "method", "Set", "views an entity", "Index", "agreement", "best found", "at k", "mentions",
    ]  # fmt: skip
    grid = []
    for line in lines:
        index, views = line["index"], line["views_per_entity"]
        told = ["exact", "", "", "", ""]
        if index is not None:
            knob = f", {index['knob']} {index['effort']}" if index["knob"] else ""
            shares = [f"{share:.4f}" for share in (index["recall"], index["best"]["found"])]
            told = [f"{index['factory']}{knob}", *shares, str(index["k"]), str(index["mentions"])]
        grid.append([line["method"], line["set"], "" if views is None else f"{views:.2f}", *told])
    note = (
        "Agreement of an index: the share of the k entities of exact search that it finds, and the "
        "share of mentions for which the best one is found, on a sample of mentions."
    )
    return Section("How candidates were found", note, header, grid)
