"""Mentions from anywhere: marked text, JSON lines, CoNLL, plain text in which spaCy finds them."""

import contextlib
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO

from msgspec import UNSET, Struct, UnsetType

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.kb.importing.opening import opened
from muver.kb.index.conll import tagged_mentions
from muver.kb.index.labelled import Labelled
from muver.kb.index.marks import marked, paragraphs
from muver.kb.index.ner import found_mentions
from muver.retriever.corpus.jsonl import BadLine, line_parser
from muver.retriever.corpus.linking.conll import START
from muver.retriever.retrieval.answers import Mention

STDIN = "-"
ENDINGS = {
    ".jsonl": "json-lines",
    ".ndjson": "json-lines",
    ".json": "json-lines",
    ".conll": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".tsv": "conll",
    ".txt": "text",
    ".md": "text",
}

Lines = Iterable[tuple[int, bytes]]


class _Line(Struct):
    left: str
    mention: str
    right: str
    world: str | None = None
    gold: str | int | None | UnsetType = UNSET


def read_mentions(
    path: str | Path, form: str | None = None, ner: str | None = None
) -> Iterator[Labelled]:
    """Read mentions, one after another; at most a document of the file is held.

    Parameters
    ----------
    path
        A file, which may be compressed; ``-`` is standard input.
    form
        ``text``: paragraphs with marks (:mod:`muver.kb.index.marks`). ``json-lines``: objects with
        ``left``, ``mention``, ``right``, and perhaps ``world`` and ``gold``, an id or null for none
        of the entities. ``conll``: :mod:`muver.kb.index.conll`. None: told by the file's ending,
        else by its first line.
    ner
        A pipeline of spaCy that finds the mentions in unmarked paragraphs.
    """
    where = "standard input" if str(path) == STDIN else str(path)
    if form is not None and form not in READERS:
        raise InputError(
            f"--format {form}: no such format.{did_you_mean(form, READERS)} There are: "
            f"{', '.join(READERS)}."
        )
    read = None
    with _stream(path) as stream:
        lines = _numbered(stream)
        if ner is not None:
            yield from found_mentions(paragraphs(_decoded(lines, where)), ner, where)
            return
        form = form or ENDINGS.get(Path(path).suffix.lower())
        if form is None:
            form, lines = _told(lines)
        for read in READERS[form](lines, where):
            yield read
    if read is None:
        marks = " Mark them [[like this]], or find them with --ner." if form == "text" else ""
        raise InputError(f"{where}: no mention in it, read as {form}.{marks}")


def _stream(path: str | Path) -> contextlib.AbstractContextManager[IO[bytes]]:
    return contextlib.nullcontext(sys.stdin.buffer) if str(path) == STDIN else opened(Path(path))


def _numbered(stream: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(stream, start=1):
        yield number, line.removeprefix(BOM_UTF8) if number == 1 else line


def _told(lines: Lines) -> tuple[str, Lines]:
    """The format, by the first line that is not empty, and all lines again."""
    seen = []
    for number, line in lines:
        seen.append((number, line))
        if start := line.lstrip():
            form = "json-lines" if start.startswith(b"{") else "text"
            form = "conll" if start.startswith(START.encode()) else form
            return form, chain(seen, lines)
    return "text", seen


def _decoded(lines: Lines, where: str) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        try:
            yield number, line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise InputError(f"{where}, line {number}: not UTF-8 text ({error.reason}).") from None


def _json_lines(lines: Lines, where: str) -> Iterator[Labelled]:
    parse = line_parser(_Line)
    for number, line in lines:
        place = f"{where}, line {number}"
        try:
            one = parse(line)
        except BadLine as error:
            raise InputError(f"{place}: {error}.") from None
        if not one.mention.strip():
            raise InputError(f"{place}: 'mention' is empty.")
        if one.gold == "":
            raise InputError(f"{place}: 'gold' is empty. Write null where no entity is right.")
        gold = str(one.gold) if isinstance(one.gold, int) else one.gold
        yield Labelled(Mention(one.mention, one.left, one.right, one.world), place, gold)


def _texts(lines: Lines, where: str) -> Iterator[Labelled]:
    for first, text in paragraphs(_decoded(lines, where)):
        yield from marked(text, where, first)


def _conll(lines: Lines, where: str) -> Iterator[Labelled]:
    return tagged_mentions(_decoded(lines, where), where)


READERS: dict[str, Callable[[Lines, str], Iterator[Labelled]]] = {
    "text": _texts, "json-lines": _json_lines, "conll": _conll,
}  # fmt: skip
