"""The paper's numbers, and those of the released README."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

Recall = dict[str, float | None]  # percent by cutoff; None where there is no number


@cache
def paper() -> dict[str, Any]:
    """Content of paper.yaml."""
    return yaml.safe_load(Path(__file__).with_name("paper.yaml").read_text(encoding="utf-8"))


def published(
    name: str,
    system: str,
    cutoffs: Sequence[int],
    domain: str | None = None,
    source: str = "values",
) -> Recall | None:
    """The published recall of a row by cutoff, in percent; None for a row that does not exist.

    Parameters
    ----------
    name
        The table: ``table1``, ``table2`` or ``table6``; others have no such rows.
    system
        The row's name in ``systems``. What it is called in print can change.
    domain
        A world, for table 6; a set, as the paper calls it, for table 2.
    source
        ``values`` for the paper's numbers, ``readme`` for those of the released README.
    """
    row = paper().get(name, {}).get("rows", {}).get(system)
    values = row and row.get(source)
    if values is not None and domain is not None:
        values = values.get(domain)
    if values is None:
        return None
    columns = paper()[name].get("columns", paper()["columns"])
    by_cutoff = dict(zip(columns, values, strict=True))
    return {str(k): by_cutoff.get(k) for k in cutoffs}


def published_views(
    system: str, search: str | None, views: float | None
) -> Mapping[str, float] | None:
    """Table 3's ``views`` an entity and ``recall`` for one of our rows, or None.

    A row without merging is found by its name in ``systems``. One with merged views is found by its
    number of views, which must be the paper's within one per cent: layers are not comparable, as
    the paper prints more states of the search than its layers make.

    Parameters
    ----------
    search
        ``distant`` or ``close``; None without merging.
    views
        Our number of views an entity.
    """
    table = paper()["table3"]
    if search is None:
        return table["rows"].get(system)
    lines = table["merged"].get(system, [])
    near = [line for line in lines if views and abs(views - line["views"]) <= line["views"] / 100]
    if not near:
        return None
    line = min(near, key=lambda line: abs(views - line["views"]))
    return {"views": line["views"], "recall": line[search]}


def column(data: Mapping[str, Any]) -> str:
    """How tables call a set over a knowledge base; "" for a split of worlds."""
    if data["kb"] is None:
        return ""
    return paper()["table2"]["sets"].get(data["set"], {}).get("column", data["set"])


def published_size(data: Mapping[str, Any]) -> dict[str, int] | None:
    """What is published of a set of Table 2; None for other sets.

    Returns
    -------
    Table 4's ``mentions`` of the set and ``entities`` of its knowledge base, and the ``support``:
    the mentions with their gold in the knowledge base, over which Table 2's numbers are.
    """
    own = paper()["table2"]["sets"].get(data["set"])
    if data["kb"] is None or own is None:
        return None
    wanted = (own["dataset"], "test")
    row = next(r for r in paper()["table4"]["rows"] if (r["dataset"], r["split"]) == wanted)
    return {**{key: row[key] for key in ("mentions", "entities")}, "support": own["support"]}


def is_papers(data: Mapping[str, Any]) -> bool:
    """Whether these are the paper's own data, so that its numbers may stand beside ours.

    Of worlds, the split must be the paper's. Numbers over a knowledge base are over the mentions
    whose gold entity is in BLINK's catalogue: ours must be as many up to paper.yaml's
    ``tolerance.support``.

    Parameters
    ----------
    data
        An evaluation, or the counts of a corpus. ``identified_as`` says whose counts the data have;
        their name says nothing.
    """
    if data.get("kb") is None:
        same_split = data.get("set", paper()["split"]) == paper()["split"]
        return data["identified_as"] == paper()["dataset"] and same_split
    theirs = published_size(data)
    if theirs is None or data["identified_as"] != paper()["table2"]["dataset"]:
        return False
    off = abs(data["mentions"] - theirs["support"]) / theirs["support"]
    return off <= paper()["tolerance"]["support"]


def comparability(name: str, data: Mapping[str, Any]) -> str | None:
    """Why a table's published numbers do not stand beside ours; None if they do or there are none.

    Parameters
    ----------
    name
        Of the table.
    data
        As for :func:`is_papers`, with ``dataset``.
    """
    if is_papers(data) or not paper().get(name, {}).get("rows"):
        return None
    theirs = f"{paper()['dataset']} ({paper()['split']})"
    ours = data["dataset"]
    if data["identified_as"] == paper()["dataset"]:
        ours += f" ({data['set']})"
    elif ours == paper()["dataset"]:
        ours += ", whose counts are not the published ones"
    return (
        f"The paper's numbers are for {theirs}; this table is made on {ours}, so they do not stand "
        "beside ours."
    )


def comparability_of_sets(
    name: str, first: Mapping[str, Any], sets: Sequence[Mapping[str, Any]]
) -> str | None:
    """The same for a table of one or several sets.

    Parameters
    ----------
    first
        One of its evaluations.
    sets
        With ``column``, ``mentions``, ``published`` and ``of_paper``.
    """
    if first["kb"] is None:
        return comparability(name, first)
    other = [one for one in sets if one["published"] and not one["of_paper"]]
    if not other or not paper().get(name, {}).get("rows"):
        return None
    if first["kb"]["entities"] != (wanted := other[0]["published"]["entities"]):
        return (
            f"The paper's numbers are for a knowledge base of {wanted} entities; this one has "
            f"{first['kb']['entities']}, so they do not stand beside ours."
        )
    counted = ", ".join(
        f"{one['column']} ({one['mentions']}, BLINK's numbers are over "
        f"{one['published']['support']})"
        for one in other
    )
    return (
        f"The paper's numbers for {counted} do not stand beside ours: the mentions with their gold "
        f"in the knowledge base differ by more than {paper()['tolerance']['support']:.0%}."
    )
