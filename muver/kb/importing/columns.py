"""The columns of a table: which one is the title and so on, and a row as an entity."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.kb.importing.items import Entity
from muver.kb.importing.settings import Given

# The names that people's files have, the first that is there counts; capitals don't.
NAMES = {
    "id": ("id", "entity_id", "document_id", "qid", "identifier", "uri", "idx"),
    "title": ("title", "name", "label", "entity"),
    "description": ("description", "text", "definition", "abstract", "summary"),
    "aliases": ("aliases", "alias", "synonyms", "alternative_names", "altlabels"),
    "world": ("world", "type", "domain"),
}
NEEDED = ("id", "title")
FIRST = 100  # rows that tell the columns


def entities_of(
    rows: Iterator[tuple[str, Mapping[str, Any]]], path: Path, given: Given
) -> Iterator[Entity]:
    """The entities of a table's rows, each with its place.

    The first rows together tell the columns; later ones may add some.
    """
    first = list(islice(rows, FIRST))
    names = dict.fromkeys(name for _, row in first for name in row)
    columns: dict[str, str] = {}
    for place, row in chain(first, rows):
        if not columns or not row.keys() <= names.keys():
            names.update(dict.fromkeys(row))
            columns = find_columns(list(names), given.columns, str(path))
        yield entity_of(row, columns, given, path, place)


def find_columns(found: Sequence[str], given: Mapping[str, str], where: str) -> dict[str, str]:
    """The column of those ``found`` in a file for each canonical one; some may be ``given``."""
    listed = f"It has: {', '.join(found)}."
    for canonical, name in given.items():
        if canonical not in NAMES:
            raise InputError(
                f"--map {canonical}={name}: no such column of a knowledge base."
                f"{did_you_mean(canonical, NAMES)} They are: {', '.join(NAMES)}."
            )
        if name not in found:
            raise InputError(f"{where}: no column {name!r}.{did_you_mean(name, found)} {listed}")
    free = {name.strip().lower(): name for name in found if name not in given.values()}
    columns = dict(given)
    for canonical, names in NAMES.items():
        if canonical in given:
            continue
        if name := next((free[name] for name in names if name in free), None):
            columns[canonical] = name
        elif canonical in NEEDED:
            near = next(filter(None, (did_you_mean(name, free) for name in names)), "")
            raise InputError(
                f"{where}: no column for the {canonical}; looked for {', '.join(names)}.{near} "
                f"{listed} Name it: --map {canonical}=COLUMN"
            )
    return columns


def entity_of(
    row: Mapping[str, Any], columns: Mapping[str, str], given: Given, path: Path, place: str
) -> Entity:
    """A row as an entity; columns that are no canonical ones are kept as text."""
    values = {canonical: row.get(name) for canonical, name in columns.items()}
    identity = as_text(values["id"])
    if not identity:
        raise InputError(
            f"{path}, {place}: no {columns['id']!r}. Every entity needs an id of its own; "
            "name another column with --map id=COLUMN."
        )
    used = set(columns.values())
    further = {
        name: text for name, value in row.items() if name not in used and (text := as_text(value))
    }
    return Entity(
        id=identity,
        title=as_text(values["title"]),
        description=as_text(values.get("description")),
        place=place,
        world=as_text(values.get("world")) or given.world_of(path),
        aliases=names_in(values.get("aliases"), given.settings.separator),
        further=further,
    )


def as_text(value: Any) -> str:
    """A value as text: nothing for null and not-a-number, lists of texts as lines, else JSON."""
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return msgspec.json.encode(value, enc_hook=str).decode()


def names_in(value: Any, separator: str) -> list[str]:
    """Aliases: a list, a list written as JSON, or names with a separator between them.

    >>> names_in('["Ann", "Anne"]', "|"), names_in("Ann|Anne", "|")
    (['Ann', 'Anne'], ['Ann', 'Anne'])
    """
    if isinstance(value, str) and value.startswith("["):
        try:
            value = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            return value.split(separator)
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        return [as_text(one) for one in value]
    return as_text(value).split(separator)
