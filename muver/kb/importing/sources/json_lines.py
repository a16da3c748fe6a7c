"""JSON lines: an object a line, with the names that people's files have."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.kb.importing.columns import entity_of, find_columns
from muver.kb.importing.items import Entity
from muver.kb.importing.opening import lines_of, opened_text
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import BadLine, line_parser

FIRST = 100  # lines, whose keys together are the columns; later ones may add some


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read a file."""
    rows = _rows(path, given)
    first = list(islice(rows, FIRST))
    names = dict.fromkeys(name for _, row in first for name in row)
    columns = find_columns(list(names), given.columns, str(path)) if first else {}
    for place, row in chain(first, rows):
        if not row.keys() <= names.keys():
            names.update(dict.fromkeys(row))
            columns = find_columns(list(names), given.columns, str(path))
        yield entity_of(row, columns, given, path, place)


def _rows(path: Path, given: Given) -> Iterator[tuple[str, dict[str, Any]]]:
    parse = line_parser(dict[str, Any])
    with opened_text(path, given.settings) as text:
        for number, line in enumerate(lines_of(text, path), start=1):
            place = f"line {number}"
            try:
                yield place, parse(line)
            except BadLine as error:
                raise InputError(f"{path}, {place}: {error}.") from None
