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


def linked_sets() -> Mapping[str, Mapping[str, Any]]:
    """Table 2's sets by our names, in the order of its columns.

    Of each its name as a ``column`` and as a ``dataset`` of Table 4, and its ``support``.
    """
    return paper()["table2"]["sets"]


def linked_size(name: str) -> dict[str, int] | None:
    """What is published of a set of Table 2; None for other sets.

    Returns
    -------
    Table 4's ``mentions`` of the set and ``entities`` of its knowledge base, and the ``support``:
    the mentions with their gold in the knowledge base, over which Table 2's numbers are.
    """
    if name not in linked_sets():
        return None
    own = linked_sets()[name]
    wanted = (own["dataset"], "test")
    row = next(r for r in paper()["table4"]["rows"] if (r["dataset"], r["split"]) == wanted)
    return {**{key: row[key] for key in ("mentions", "entities")}, "support": own["support"]}


def is_papers(data: Mapping[str, Any]) -> bool:
    """Whether these are the paper's own data, so that its numbers may stand beside ours.

    Parameters
    ----------
    data
        An evaluation, a table or the counts of a corpus. ``identified_as`` says what its counts
        are; its name says nothing. ``split``, where it is there, must be the paper's.
    """
    same_split = data.get("split", paper()["split"]) == paper()["split"]
    return data["identified_as"] == paper()["dataset"] and same_split


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
        ours += f" ({data['split']})"
    elif ours == paper()["dataset"]:
        ours += ", whose counts are not the published ones"
    return (
        f"The paper's numbers are for {theirs}; this table is made on {ours}, so they do not stand "
        "beside ours."
    )
