"""Table 3's rows after each merging: runs under a parent whose curves are the table's columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from muver.io.files import short_hash
from muver.tracking import describe, notes
from muver.tracking.entry import Entry, Point, shared_parameters, shared_tags

Row = Mapping[str, Any]


def above_layers(
    rows: Sequence[Row],
    entries: Sequence[Entry],
    cutoffs: Sequence[int],
    figures: Sequence[Path] = (),
) -> list[Entry]:
    """The entries, those of one method and search put under a parent in place of the first.

    Parameters
    ----------
    rows
        The table's, one an entry; those of a sweep have a ``search``, how they were ``searched``
        in words, their ``merge_layers`` and ``start``.
    figures
        Kept with each parent.
    """
    sweeps: dict[tuple[str, str], list[int]] = {}
    for at, row in enumerate(rows):
        if row.get("search"):
            sweeps.setdefault((row["method"], row["searched"]), []).append(at)
    found = list(entries)
    for names, places in sweeps.items():
        start = rows[places[0]]["start"]
        above = [at for at, row in enumerate(rows) if row["system"] == start]
        parent = _parent(", ".join(names), rows, entries, places, [*above, *places], cutoffs)
        found[places[0]] = replace(parent, files=[(path, "figures") for path in figures])
    under = {at for places in sweeps.values() for at in places[1:]}
    return [entry for at, entry in enumerate(found) if at not in under]


def _parent(
    name: str,
    rows: Sequence[Row],
    entries: Sequence[Entry],
    places: Sequence[int],
    curve: Sequence[int],
    cutoffs: Sequence[int],
) -> Entry:
    """The parent of the rows at ``places``; its curves have the rows at ``curve``."""
    width = describe.digits(cutoffs)
    children = [replace(entries[at], name=f"{name}, {_layers(rows[at])}") for at in places]
    points, lines = [], []
    for at in curve:
        numbers = describe.recalls("", rows[at]["micro"], width)
        numbers["views_per_entity"] = rows[at]["views_per_entity"]
        points += [Point(key, rows[at]["merge_layers"], value) for key, value in numbers.items()]
        recalls = [f"{rows[at]['micro'][str(k)]:.2f}" for k in cutoffs]
        lines.append([_layers(rows[at]), f"{rows[at]['views_per_entity']:.2f}", *recalls])
    first = children[0]
    shown = notes.grid(lines, ["merged", "views an entity", *(f"R@{k}" for k in cutoffs)])
    return Entry(
        key=short_hash({"layers_of": [child.key for child in children]}),
        name=name,
        tags={
            **shared_tags(children),
            "role": "parent",
            "config_hash": short_hash([child.key for child in children]),
        },
        metrics={},
        curves=points,
        parameters=shared_parameters(children),
        note=f"**{name}** of `{first.source}`: one run a row below this one. The metrics of this "
        "run have a step for each number of layers merged; what is shown of each is the last."
        f"\n\n{shown}\n\n{notes.how_to(first.source, None, '')}",
        source=first.source,
        data=first.data,
        children=children,
    )


def _layers(row: Row) -> str:
    return f"{row['merge_layers']} layer{'' if row['merge_layers'] == 1 else 's'}"
