"""Mentions in files with one token on each line: BIO tags, or the columns of AIDA CoNLL-YAGO.

Columns are separated by tabs, or by spaces where a line has no tab. A token may stand alone. With
``B`` or ``I`` in the second of four columns or more a line is AIDA's
(:mod:`muver.retriever.corpus.linking.conll`): the fourth is the gold entity, ``--NME--`` where
there is none, and where the sixth has a Wikipedia page's number, that is the gold entity's id. Of
other lines the last column is a tag: ``O``, ``B``, ``I``, or ``B-`` and ``I-`` with a type.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from muver.io.errors import InputError
from muver.kb.index.labelled import Labelled, cut
from muver.retriever.corpus.linking.benchmark import NO_ID, whole_id
from muver.retriever.corpus.linking.conll import NO_ENTITY, START

_TAG = re.compile(r"O|([BI])(?:-(.+))?")


class _Tagged(NamedTuple):
    """A line: its token, ``B``, ``I`` or nothing, the mention's type and gold entity."""

    token: str
    tag: str = ""
    kind: str | None = None
    gold: str | None | UnsetType = UNSET


@dataclass
class _Mention:
    line: int
    first: int  # token
    end: int
    kind: str | None
    gold: str | None | UnsetType


@dataclass
class _Document:
    tokens: list[str] = field(default_factory=list)
    mentions: list[_Mention] = field(default_factory=list)

    def add(self, line: int, tagged: _Tagged) -> None:
        """Add a token, and begin a mention with it or continue the last one."""
        at = len(self.tokens)
        self.tokens.append(tagged.token)
        last = self.mentions[-1] if self.mentions else None
        if tagged.tag == "I" and last and last.end == at and last.kind == tagged.kind:
            last.end += 1
        elif tagged.tag:  # in the older form, IOB1, most mentions begin with an I
            self.mentions.append(_Mention(line, at, at + 1, tagged.kind, tagged.gold))

    def labelled(self, where: str) -> Iterator[Labelled]:
        """Its mentions; the tokens, joined by spaces, are their text."""
        starts = [0]
        for token in self.tokens:
            starts.append(starts[-1] + len(token) + 1)
        text = " ".join(self.tokens)
        for one in self.mentions:
            mention = cut(text, starts[one.first], starts[one.end] - 1)
            yield Labelled(mention, f"{where}, line {one.line}", one.gold)


def tagged_mentions(lines: Iterable[tuple[int, str]], where: str) -> Iterator[Labelled]:
    """Read mentions, a document at a time.

    A line ``-DOCSTART-`` begins a document, which is the context of its mentions. Without such
    lines each sentence stands alone: an empty line ends it.

    Parameters
    ----------
    lines
        With their numbers.
    where
        What the file is called in messages.
    """
    document, named = _Document(), False
    for number, line in lines:
        if starts := line.startswith(START):
            named = True
        if starts or (not named and not line.strip()):
            yield from document.labelled(where)
            document = _Document()
        elif line.strip():
            document.add(number, _tagged(line, f"{where}, line {number}"))
    yield from document.labelled(where)


def _tagged(line: str, where: str) -> _Tagged:
    columns = line.split("\t") if "\t" in line else line.split()
    if len(columns) == 1:
        return _Tagged(columns[0])
    if len(columns) > 3 and columns[1] in ("B", "I"):
        page = columns[5] if len(columns) > 5 else ""
        gold = page.strip() if whole_id(page) != NO_ID else columns[3].strip()
        return _Tagged(columns[0], columns[1], None, None if columns[3] == NO_ENTITY else gold)
    if (found := _TAG.fullmatch(columns[-1].strip())) is None:
        raise InputError(
            f"{where}: the last column is {columns[-1]!r}, expected a tag: O, B or I, or B- and I- "
            "with a type. Or AIDA's columns: token, B or I, mention, entity."
        )
    return _Tagged(columns[0], found[1] or "", found[2])
