"""Comma- or tab-separated values with a line of names."""

import csv
from collections.abc import Iterator
from pathlib import Path

from muver.io.errors import InputError
from muver.kb.importing.columns import entities_of
from muver.kb.importing.items import Entity
from muver.kb.importing.opening import lines_of, opened_text
from muver.kb.importing.settings import Given

SEPARATORS = "\t,;|"
LONGEST_CELL = 1 << 27


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read a table.

    The separator is the one that the first line has most of. Cells may be quoted and then hold line
    ends; tab-separated ones are taken as they are, unless a name in the first line is quoted.
    """
    csv.field_size_limit(LONGEST_CELL)
    return entities_of(_rows(path, given), path, given)


def _rows(path: Path, given: Given) -> Iterator[tuple[str, dict[str, str]]]:
    with opened_text(path, given.settings) as stream:
        text = lines_of(stream, path)
        first = next(text, "")
        separator = max(SEPARATORS, key=first.count)
        quoting = csv.QUOTE_NONE if separator == "\t" and '"' not in first else csv.QUOTE_MINIMAL
        form = {"delimiter": separator, "quoting": quoting, "strict": True}
        names = next(csv.reader([first], **form), [])
        if not any(names):
            raise InputError(f"{path}: its first line is empty; it has to name the columns.")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"{path}, line 1: two columns are called {twice!r}. Rename one.")
        reader, start = csv.reader(text, **form), 2
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise InputError(
                    f"{path}, line {start}: {error}. Is a quotation mark not closed, or not "
                    "doubled within a cell?"
                ) from None
            if cells is None:
                return
            place, start = f"line {start}", reader.line_num + 2
            if not cells:
                continue  # an empty line
            if len(cells) != len(names):
                raise InputError(
                    f"{path}, {place}: {len(cells)} cells, but the first line names {len(names)} "
                    f"columns ({', '.join(names)}). A cell that holds {separator!r} has to stand "
                    "in quotation marks."
                )
            yield place, dict(zip(names, cells, strict=True))
