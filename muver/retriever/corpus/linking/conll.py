r"""Mentions in files with one token a line: AIDA CoNLL-YAGO, MSNBC and the other sets of WNED.

Columns are separated by tabs: the token; ``B`` or ``I`` if it begins or continues a mention; the
whole mention; the entity in YAGO2's spelling (``\u0028`` for a character, underscores for spaces)
or ``--NME--`` for none; its Wikipedia address; its Wikipedia id (zeros if it is not known); its
Freebase mid. Only tokens of mentions have columns from the second on. Empty lines separate
sentences; a line ``-DOCSTART- (947testa CRICKET)`` begins a document. The three parts of AIDA are
one file, in which the end of the document's number tells the part (Hoffart et al., EMNLP 2011).
A mention counts if it has an address, as in BLINK's numbers of mentions.

:func:`documents` also reads users' files, whose last column is a tag: ``O``, ``B``, ``I``, or
``B-`` and ``I-`` with a type.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from muver.io.errors import InputError, quoted
from muver.retriever.corpus.linking.benchmark import Benchmark, LinkedMention, whole_id, with_ids

START = "-DOCSTART-"
NO_ENTITY = "--NME--"
PARTS = {"train": "", "testa": "testa", "testb": "testb"}  # how AIDA's document numbers end
_NUMBERED = re.compile(r"(\d+)(testa|testb|)(?: .*)?")
_TAG = re.compile(r"O|([BI])(?:-(.+))?")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


class Tagged(NamedTuple):
    """Which tokens a mention has (``first <= n < end``), and the columns of its first line."""

    line: int
    first: int
    end: int
    kind: str | None
    columns: list[str]


@dataclass
class Document:
    """A document; ``heading`` is the rest of its first line, None without a -DOCSTART- line."""

    line: int
    heading: str | None
    tokens: list[str] = field(default_factory=list)
    mentions: list[Tagged] = field(default_factory=list)

    def add(self, line: int, columns: list[str], where: str) -> None:
        """Add a token, which may begin a mention or continue the last one."""
        at = len(self.tokens)
        self.tokens.append(columns[0])
        tag, kind = _tag(columns, where)
        last = self.mentions[-1] if self.mentions else None
        if tag == "I" and last and (last.end, last.kind) == (at, kind):
            self.mentions[-1] = last._replace(end=at + 1)
        elif tag:  # in the older form, IOB1, most mentions begin with an I
            self.mentions.append(Tagged(line, at, at + 1, kind, columns))


def documents(
    lines: Iterable[tuple[int, str]], where: str, only_tabs: bool = False
) -> Iterator[Document]:
    """Read documents one after another; without -DOCSTART- lines each sentence is one.

    ``lines`` come with their numbers; ``where`` is what messages call the file. If ``only_tabs``,
    spaces separate no columns in a line without a tab.
    """
    document = None
    for number, line in lines:
        begins = line.startswith(START)
        if begins or (not line.strip() and document and document.heading is None):
            if document:
                yield document
            heading = line.partition("\t")[0].removeprefix(START).strip()
            document = Document(number, heading) if begins else None
        elif line.strip():
            document = document or Document(number, None)
            columns = line.split("\t") if only_tabs or "\t" in line else line.split()
            document.add(number, columns, f"{where}, line {number}")
    if document:
        yield document


def has_entity(columns: Sequence[str]) -> bool:
    """Whether a line has AIDA's columns, whose fourth is the gold entity."""
    return len(columns) > 3 and columns[1] in ("B", "I")


def _tag(columns: Sequence[str], where: str) -> tuple[str, str | None]:
    """``B``, ``I`` or nothing, and the type of the mention."""
    if len(columns) == 1:
        return "", None
    if has_entity(columns):
        return columns[1], None
    if (parts := _TAG.fullmatch(columns[-1].strip())) is None:
        raise InputError(
            f"{where}: the last column is {quoted(columns[-1])}, expected a tag: O, B or I, or "
            "B- and I- with a type. Or AIDA's columns: token, B or I, mention, entity."
        )
    return parts[1] or "", parts[2]


def read_conll(name: str, path: Path, part: str | None = None) -> Benchmark:
    """Read the mentions of a set, in its order.

    A mention's context is the rest of its document, tokens joined by spaces. Mentions without an
    entity (``no_entity``) and those whose entity has no Wikipedia address (``no_address``) are left
    out and counted. The set's ``name`` is for the ids of mentions if two documents have the same
    name. Of AIDA only the documents of a ``part`` (train, testa or testb) are read; None reads all.
    """
    mentions = []
    left_out = {"no_entity": 0, "no_address": 0}
    for document in _documents(path):
        document_name = _name(document, path, part)
        for mention in document.mentions if document_name else ():
            columns = mention.columns
            if len(columns) < 4 or columns[1] != "B" or not columns[2].strip():
                raise InputError(
                    f"{path}, line {mention.line}: expected a token alone, or token, B or I, "
                    f"mention and entity separated by tabs (I after a B only), not {columns[:4]}."
                )
            if columns[3] == NO_ENTITY:
                left_out["no_entity"] += 1
            elif len(columns) < 5:
                left_out["no_address"] += 1
            else:
                mentions.append(_as_linked(mention, document, document_name))
    return Benchmark(with_ids(name, mentions), left_out)


def title_of(entity: str, address: str) -> str:
    """The title of a mention's entity, from its address if there is one, else from YAGO2's name.

    >>> title_of("Dragomir_\\u0160tor", ""), title_of("x", "http://en.wikipedia.org/wiki/AT%26T")
    ('Dragomir Štor', 'AT&T')
    """
    _, in_wiki, page = address.partition("/wiki/")
    title = unquote(page) if in_wiki else _ESCAPES.sub(_characters, entity)
    return title.replace("_", " ").strip()


def _characters(escapes: re.Match[str]) -> str:
    """Decode UTF-16 units such as ``u0160``; two units may make one character."""
    units = bytes.fromhex(escapes[0].replace("\\u", ""))
    return units.decode("utf-16-be", errors="replace")


def _documents(path: Path) -> Iterator[Document]:
    document = None
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            lines = ((number, line.rstrip("\r\n")) for number, line in enumerate(file, start=1))
            for document in documents(lines, str(path), only_tabs=True):
                yield document
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason}).") from None
    if document is None:
        raise InputError(f"{path}: holds no document.")


def _name(document: Document, path: Path, part: str | None) -> str | None:
    """The name of a document; None if it is of another part of AIDA."""
    heading = document.heading or ""
    name = heading.removeprefix("(").strip().removesuffix(")").strip()
    numbered = _NUMBERED.fullmatch(name)
    if not name or not heading.startswith("(") or (part and not numbered):
        form = "(NUMBER TITLE), with testa or testb after the number," if part else "(NAME)"
        raise InputError(
            f"{path}, line {document.line}: expected {START} {form} before the tokens of a "
            f"document, not {quoted(heading)}."
        )
    if part is None:
        return name
    return numbered[1] + numbered[2] if numbered[2] == PARTS[part] else None


def _as_linked(mention: Tagged, document: Document, name: str) -> LinkedMention:
    _, _, text, entity, address, identity, *_ = [*mention.columns, ""]
    return LinkedMention(
        f"{name}:{mention.first}",
        " ".join(document.tokens[: mention.first]),
        text,
        " ".join(document.tokens[mention.end :]),
        whole_id(identity),
        title_of(entity, address),
        mention.line,
        name,
    )
