"""Tables whose columns have names of their own: JSON lines, CSV and Parquet."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from muver.io.errors import InputError, choices, did_you_mean, listed, quoted, repeated
from muver.io.parquet import batches, parquet_errors
from muver.io.progress import logger
from muver.io.text import counted
from muver.kb.importing.importing_settings import Options
from muver.kb.importing.schema import Entity
from muver.retriever.corpus.opening import (
    LONGEST_LINE,
    lines_of,
    opened_text,
    read_json_lines,
)

# The names that people's files have, the first that is there counts; capitals don't.
# Of those for a title the one with the most names counts.
NAMES = {
    "id": ("id", "entity_id", "document_id", "qid", "identifier", "uri", "idx"),
    "title": ("name", "title", "label", "entity"),
    "description": ("description", "text", "definition", "abstract", "summary"),
    "aliases": ("aliases", "alias", "synonyms", "alternative_names", "altlabels"),
    "world": ("world",),
}
FIRST = 100  # rows that tell the columns
ROWS = 1000  # of Parquet, read at once
SEPARATORS = "\t,;|"
FOR_EXCEL = re.compile(r"sep=(.)[\r\n]+")  # a first line that names the separator
QUOTED = re.compile('"[^"]*"')
SLUG = re.compile(r"[a-z0-9_.:/-]*|\S*[0-9/]\S*")  # "old_king" or "Q42" rather than "Old King"
Rows = Iterator[tuple[str, Mapping[str, Any]]]  # each with its place


def _json_rows(path: Path, options: Options) -> Rows:
    """The objects of JSON lines."""
    return read_json_lines(path, dict[str, Any], options.settings.encoding)


def _parquet_rows(path: Path, _: Options) -> Rows:
    """The rows of a Parquet file, read some at a time."""
    with parquet_errors(path, "Write it anew."):
        rows = chain.from_iterable(batch.to_pylist() for batch in batches(path, ROWS))
        for number, row in enumerate(rows, start=1):
            yield f"row {number}", row


def _csv_rows(path: Path, options: Options) -> Rows:
    """The rows of comma- or tab-separated values with a line of names.

    The separator is the one that the first line has most of outside quotation marks. Cells may be
    quoted and then hold line ends, unless the settings say that marks are part of the text.
    """
    csv.field_size_limit(LONGEST_LINE)
    with opened_text(path, options.settings.encoding) as stream:
        text = lines_of(stream, path)
        first, top = next(text, ""), 1
        if declared := FOR_EXCEL.fullmatch(first):
            first, top = next(text, ""), 2
        separator = declared[1] if declared else max(SEPARATORS, key=QUOTED.sub("", first).count)
        quoting = csv.QUOTE_MINIMAL if options.settings.quotes else csv.QUOTE_NONE
        rows = csv.reader(chain([first], text), delimiter=separator, quoting=quoting, strict=True)
        place = f"line {top}"
        try:
            names = [name or f"column {n}" for n, name in enumerate(next(rows, []), start=1)]
            if first and not first.strip():
                raise InputError(f"{path}, {place}: empty. Expected the names of columns there.")
            if twice := repeated(names):
                raise InputError(
                    f"{path}, {place}: two columns are called {quoted(twice)}. Rename one."
                )
            place = f"line {rows.line_num + top}"
            for cells in rows:
                if len(cells) != len(names) and any(cells):
                    marks = f" A cell that holds {separator!r} has to stand in quotation marks."
                    raise InputError(
                        f"{path}, {place}: {counted(len(cells), 'cell')}, but the first line names "
                        f"{counted(len(names), 'column')} ({listed(names)})."
                        f"{marks if len(cells) > len(names) else ' Fill it up, or leave it out.'}"
                    )
                if any(cells):  # no empty line, nor one of empty cells, as spreadsheets leave some
                    yield place, dict(zip(names, cells, strict=True))
                place = f"line {rows.line_num + top}"
        except csv.Error as error:
            raise InputError(
                f"{path}, {place}: {error}. Is a quotation mark not closed? If marks are part of "
                "the text: --settings '{\"quotes\": false}'."
            ) from None


def _entities(
    path: Path, options: Options, rows_of: Callable[[Path, Options], Rows]
) -> Iterator[Entity]:
    """The entities of a table's rows. The first rows tell the columns; later ones may add some."""
    rows = rows_of(path, options)
    first = list(islice(rows, FIRST))
    names = dict.fromkeys(name for _, row in first for name in row)
    mapped = dict(options.columns)
    if options.world is not None and options.replaces:
        mapped.setdefault("world", "")
    columns: dict[str, str] = {}
    for place, row in chain(first, rows):
        if not columns or not row.keys() <= names.keys():
            names.update(dict.fromkeys(row))
            # Those that were found stay, whatever comes later.
            newer = find_columns(list(names), columns | mapped, path, [row for _, row in first])
            if newer != columns:
                columns = newer
                _tell(columns, list(names), path)
        yield _entity(row, columns, options, place, path)


json_lines = partial(_entities, rows_of=_json_rows)
parquet = partial(_entities, rows_of=_parquet_rows)
comma_separated = partial(_entities, rows_of=_csv_rows)


def _tell(columns: Mapping[str, str], names: Sequence[str], path: Path) -> None:
    taken = ", ".join(f"{canonical} = {name!r}" for canonical, name in columns.items())
    kept = [repr(name) for name in names if name not in columns.values()]
    more = f"; kept beside them: {listed(kept)}" if kept else ""
    logger.info("%s: columns: %s%s; --map names others", path, taken, more)


def find_columns(
    present: Sequence[str],
    mapped: Mapping[str, str],
    path: Path,
    rows: Sequence[Mapping[str, Any]] = (),
) -> dict[str, str]:
    """The column of those ``present`` in a file for each canonical one; some may be ``mapped``,
    and none is taken for one that is mapped to an empty text. ``rows`` are the first ones.
    """
    there = f"Its first {FIRST} rows have: {listed(present)}."
    for canonical, name in mapped.items():
        if canonical not in NAMES:
            raise InputError(
                f"--map {canonical}={name}: no such column of a knowledge base."
                f"{choices(canonical, NAMES)}"
            )
        if name and name not in present:
            near = did_you_mean(name, present)
            raise InputError(f"{path}: no column {quoted(name)}.{near} {there}")
    free = {name.strip().lower(): name for name in present if name not in mapped.values()}
    columns = dict(mapped)
    for canonical, names in NAMES.items():
        usual = [free[name] for name in names if name in free and canonical not in mapped]
        if usual and canonical == "title":
            usual = [max(usual, key=lambda name: _count_of_names(row.get(name) for row in rows))]
        if usual:
            columns[canonical] = usual[0]
        elif canonical in ("id", "title") and not mapped.get(canonical):
            raise InputError(
                f"{path}: no column for the {canonical}; looked for {', '.join(names)}. {there} "
                f"Name it: --map {canonical}=COLUMN"
            )
    return {canonical: columns[canonical] for canonical in NAMES if columns.get(canonical)}


def _count_of_names(values: Iterable[Any]) -> int:
    """How many different names a column has: a person's name rather than "Dr.", a page's title
    rather than the part of an address.
    """
    return len({text for value in values if not SLUG.fullmatch(text := as_text(value))})


def _entity(
    row: Mapping[str, Any], columns: Mapping[str, str], options: Options, place: str, path: Path
) -> Entity:
    """A row as an entity; columns that are no canonical ones are kept as text."""
    values = {canonical: row.get(name) for canonical, name in columns.items()}
    for canonical, value in values.items():
        if isinstance(value, Mapping):
            raise InputError(
                f"{path}, {place}: {columns[canonical]} is an object, and no text. Make it one, or "
                f"name another column with --map {canonical}=COLUMN."
            )
    return Entity(
        id=as_text(values["id"]),
        title=as_text(values["title"]),
        description=as_text(values.get("description")),
        place=place,
        world=as_text(values.get("world")),
        aliases=names_in(values.get("aliases"), options.settings.separator),
        further={name: as_text(row[name]) for name in row if name not in columns.values()},
    )


def as_text(value: Any) -> str:
    """A value as text: nothing for null and not-a-number, lists of texts as lines, else JSON."""
    if isinstance(value, bytes):  # as some programs write texts into Parquet
        value = value.decode("utf-8", "backslashreplace")
    if isinstance(value, str):
        return value
    if value is None or value != value:
        return ""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n".join(value)
    built = msgspec.to_builtins(value, enc_hook=str)  # a date or a decimal is a text
    return built if isinstance(built, str) else msgspec.json.encode(built).decode()


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
        return [as_text(part) for part in value]
    return as_text(value).split(separator)
