"""Mentions in files with one token a line: AIDA CoNLL-YAGO, and MSNBC and WNED-WIKI beside it.

Columns are separated by tabs: the token; ``B`` or ``I`` if it begins or goes on with a mention; the
whole mention; the entity in YAGO2's spelling (``\\u0028`` for a character, underscores for spaces)
or ``--NME--`` for none; its Wikipedia address; its Wikipedia id (zeros if it is not known); its
Freebase mid. Columns from the second on are there for mentions only. Empty lines separate
sentences, a line ``-DOCSTART- (947testa CRICKET)`` begins a document; in AIDA, whose three parts
are one file, the number's ending tells the part (Hoffart et al., EMNLP 2011).

As where BLINK's numbers of mentions are from, a mention counts if it has an address.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from muver.corpus.linking.benchmark import Benchmark, LinkedMention, whole_id, with_ids
from muver.io.errors import InputError

START = "-DOCSTART-"
NO_ENTITY = "--NME--"
PARTS = {"train": "", "testa": "testa", "testb": "testb"}  # by the end of documents' numbers
_DOCUMENT = re.compile(rf"{START}\s*\(\s*(.*?)\s*\)?\s*")
_NUMBERED = re.compile(r"(\d+)(testa|testb|)(?: .*)?")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


@dataclass
class _Mention:
    line: int
    first: int  # token
    end: int
    columns: list[str]


@dataclass
class _Document:
    line: int
    name: str
    tokens: list[str] = field(default_factory=list)
    mentions: list[_Mention] = field(default_factory=list)


def read_conll(name: str, path: Path, part: str | None = None) -> Benchmark:
    """The mentions of a set, in its order.

    A mention's context is the rest of its document, tokens joined by spaces. Left out are mentions
    with no entity (``no_entity``) and those whose entity has no Wikipedia address (``no_address``).

    Parameters
    ----------
    name
        The set's name, for the ids of mentions whose documents have no names of their own.
    part
        The part of AIDA whose documents are taken: train, testa or testb; None takes all documents.

    Raises
    ------
    InputError
        Naming file and line of what does not fit the format.
    """
    mentions, lines = [], []
    left_out = {"no_entity": 0, "no_address": 0}
    for document in _documents(path):
        called = _called(document, part, path)
        if called is None:
            continue
        for one in document.mentions:
            if reason := _why_not(one.columns):
                left_out[reason] += 1
                continue
            mentions.append(_as_linked(one, document.tokens, called))
            lines.append(one.line)
    return Benchmark(with_ids(name, mentions, lines), left_out)


def title_of(entity: str, address: str) -> str:
    """The title of a mention's entity: of the address if there is one, else YAGO2's name.

    >>> title_of("Dragomir_\\\\u0160tor", ""), title_of("x", "http://en.wikipedia.org/wiki/AT%26T")
    ('Dragomir Štor', 'AT&T')
    """
    _, found, page = address.partition("/wiki/")
    title = unquote(page) if found else _ESCAPES.sub(_characters, entity)
    return title.replace("_", " ").strip()


def _characters(escapes: re.Match[str]) -> str:
    """The characters of UTF-16 units such as ``\\u0160``; two may make one character."""
    units = bytes.fromhex(escapes[0].replace("\\u", ""))
    return units.decode("utf-16-be", errors="replace")


def _called(document: _Document, part: str | None, path: Path) -> str | None:
    """What a document's mentions are numbered under; None if it is of another part."""
    if part is None:
        return document.name
    found = _NUMBERED.fullmatch(document.name)
    if found is None:
        raise InputError(
            f"{path}, line {document.line}: the document {document.name!r} is of no part of AIDA; "
            f"expected {START} (NUMBER TITLE), with testa or testb after the number."
        )
    return found[1] + found[2] if found[2] == PARTS[part] else None


def _why_not(columns: list[str]) -> str | None:
    if columns[3] == NO_ENTITY:
        return "no_entity"
    return None if len(columns) > 4 else "no_address"


def _as_linked(mention: _Mention, tokens: list[str], called: str) -> LinkedMention:
    _, _, text, entity, address, identity, *_ = [*mention.columns, ""]
    return LinkedMention(
        f"{called}:{mention.first}",
        " ".join(tokens[: mention.first]),
        text,
        " ".join(tokens[mention.end :]),
        whole_id(identity),
        title_of(entity, address),
        called,
    )


def _documents(path: Path) -> Iterator[_Document]:
    document: _Document | None = None
    for number, line in _lines(path):
        columns = line.split("\t")
        if columns[0].startswith(START):
            if document is not None:
                yield document
            document, inside = _begin(columns[0], number, path), False
        elif line.strip():
            if document is None:
                raise InputError(
                    f"{path}, line {number}: a token before the first line of the form {START} "
                    "(1 EU)."
                )
            inside = _take(document, columns, inside, number, path)
    if document is None:
        raise InputError(f"{path}: holds no document.")
    yield document


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason}).") from None


def _begin(text: str, number: int, path: Path) -> _Document:
    found = _DOCUMENT.fullmatch(text)
    if found is None or not found[1]:
        raise InputError(
            f"{path}, line {number}: {text!r} names no document; expected {START} (NAME)."
        )
    return _Document(number, found[1])


def _take(document: _Document, columns: list[str], inside: bool, number: int, path: Path) -> bool:
    """Add a token, and the mention that it begins or goes on with; whether there is one."""
    position = len(document.tokens)
    document.tokens.append(columns[0])
    if len(columns) == 1:
        return False
    if len(columns) < 4 or columns[1] not in ("B", "I") or (columns[1] == "I" and not inside):
        raise InputError(
            f"{path}, line {number}: expected a token alone, or token, B or I, mention and entity "
            f"separated by tabs (I after a B only), not {columns[:4]}."
        )
    if columns[1] == "B":
        if not columns[2].strip():
            raise InputError(f"{path}, line {number}: the mention is empty.")
        document.mentions.append(_Mention(number, position, position + 1, columns))
    else:
        document.mentions[-1].end = position + 1
    return True
