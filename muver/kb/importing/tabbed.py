"""Tab-separated values as spreadsheets, pandas and plain programs write them."""

import csv
import re
from collections.abc import Iterable, Iterator

from muver.retriever.corpus.opening import LONGEST_LINE

# A cell between tabs that is quoted, and one whose quotation mark is not closed.
CELL = re.compile(r'"((?:[^"]|"")*+)"(?=[\t\r\n]|\Z)')
UNCLOSED = re.compile(r'"(?:[^"]|"")*+\Z')
NEEDS_QUOTES = re.compile(r'[\t\r\n",]')  # by the rules of spreadsheets and of Python's writers


class Tabbed:
    """Rows of cells between tabs, whose first line quotes no name; as csv's readers, ``line_num``
    is the number of lines read.

    A quotation mark at the beginning of a cell that nothing closes is a part of the text, if this
    line and the next have as many cells as there are ``columns``.
    """

    def __init__(self, lines: Iterable[str], columns: int):
        self._lines, self._columns = lines, columns
        self.line_num = 0

    def __iter__(self) -> Iterator[list[str]]:
        held: list[str] = []  # lines of a row with a cell that is not closed yet
        size = marks = 0
        for line in self._lines:
            if len(held) == 1 and self._whole(held[0]) and self._whole(line):
                self.line_num += 1
                yield _cells(held.pop())[0]
            if not held:
                size = marks = 0
            held.append(line)
            size, marks = size + len(line), marks + line.count('"')
            if size > LONGEST_LINE:
                raise csv.Error("a cell of very many lines")
            if marks % 2 == 0 or len(held) == 1:
                cells, unclosed = _cells("".join(held))
                marks = unclosed.count('"')
                if not unclosed:
                    self.line_num += len(held)
                    held = []
                    yield cells
        if held and (held[1:] or not self._whole(held[0])):
            raise csv.Error("unexpected end of data")
        for line in held:
            self.line_num += 1
            yield _cells(line)[0]

    def _whole(self, line: str) -> bool:
        return line.count("\t") + 1 == self._columns


def _cells(row: str) -> tuple[list[str], str]:
    """The cells of a row, and what is left of it from a quotation mark on that is not closed.

    Cells lose the quotation marks that they need.

    >>> _cells('1\\t"Anna ""the smith"" Ash"\\t"Heroes"\\n')
    (['1', 'Anna "the smith" Ash', '"Heroes"'], '')
    """
    row = row.rstrip("\r\n")
    if '"' not in row:
        return row.split("\t"), ""
    cells, unclosed, at = [], "", 0
    while at <= len(row):
        if quoted := CELL.match(row, at):
            needed = NEEDS_QUOTES.search(quoted[1])
            cells.append(quoted[1].replace('""', '"') if needed else quoted[0])
            at = quoted.end() + 1
            continue
        if not unclosed and UNCLOSED.match(row, at):
            unclosed = row[at:]
        end = row.find("\t", at)
        cells.append(row[at : end if end >= 0 else None])
        at = end + 1 if end >= 0 else len(row) + 1
    return cells, unclosed
