"""JSON lines: an object a line, with the names that people's files have."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.kb.importing.columns import entities_of
from muver.kb.importing.items import Entity
from muver.kb.importing.opening import lines_of, opened_text
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import BadLine, line_parser

_parse = line_parser(dict[str, Any])


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read a file."""
    return entities_of(_rows(path, given), path, given)


def _rows(path: Path, given: Given) -> Iterator[tuple[str, dict[str, Any]]]:
    with opened_text(path, given.settings) as text:
        for number, line in enumerate(lines_of(text, path), start=1):
            try:
                yield f"line {number}", _parse(line)
            except BadLine as error:
                raise InputError(f"{path}, line {number}: {error}.") from None
