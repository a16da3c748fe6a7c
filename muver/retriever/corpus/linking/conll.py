r"""Mentions in files with one token a line: AIDA CoNLL-YAGO, MSNBC and the other sets of WNED.

Columns are separated by tabs: the token; ``B`` or ``I`` if it begins or continues a mention; the
whole mention; the entity in YAGO2's spelling (``\u0028`` for a character, underscores for spaces)
or ``--NME--`` for none; its Wikipedia address; its Wikipedia id (zeros if it is not known); its
Freebase mid. Only tokens of mentions have columns from the second on. Empty lines separate
sentences; a line ``-DOCSTART- (947testa CRICKET)`` begins a document. The three parts of AIDA are
one file, in which the end of the document's number tells the part (Hoffart et al., EMNLP 2011).

A mention counts if it has an address, as in BLINK's numbers of mentions.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from muver.io.errors import InputError
from muver.retriever.corpus.linking.benchmark import Benchmark, LinkedMention, whole_id, with_ids

START = "-DOCSTART-"
NO_ENTITY = "--NME--"
PARTS = {"train": "", "testa": "testa", "testb": "testb"}  # how AIDA's document numbers end
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
    """Read the mentions of a set, in its order.

    A mention's context is the rest of its document, tokens joined by spaces. Mentions without an
    entity (``no_entity``) and those whose entity has no Wikipedia address (``no_address``) are left
    out and counted.

    Parameters
    ----------
    name
        The set's name, for the ids of mentions if two documents have the same name.
    part
        Read only AIDA's documents of this part (train, testa or testb); None reads all.
    """
    mentions, lines = [], []
    left_out = {"no_entity": 0, "no_address": 0}
    for document in _documents(path):
        if part is not None and not _take_part(document, part, path):
            continue
        for one in document.mentions:
            if one.columns[3] == NO_ENTITY:
                left_out["no_entity"] += 1
            elif len(one.columns) < 5:
                left_out["no_address"] += 1
            else:
                mentions.append(_as_linked(one, document))
                lines.append(one.line)
    return Benchmark(with_ids(name, mentions, lines), left_out)


def title_of(entity: str, address: str) -> str:
    """The title of a mention's entity, from its address if there is one, else from YAGO2's name.

    >>> title_of("Dragomir_\\u0160tor", ""), title_of("x", "http://en.wikipedia.org/wiki/AT%26T")
    ('Dragomir Štor', 'AT&T')
    """
    _, found, page = address.partition("/wiki/")
    title = unquote(page) if found else _ESCAPES.sub(_characters, entity)
    return title.replace("_", " ").strip()


def _characters(escapes: re.Match[str]) -> str:
    """Decode UTF-16 units such as ``u0160``; two units may make one character."""
    units = bytes.fromhex(escapes[0].replace("\\u", ""))
    return units.decode("utf-16-be", errors="replace")


def _take_part(document: _Document, part: str, path: Path) -> bool:
    """Whether a document is of this part of AIDA; names the document by its number."""
    found = _NUMBERED.fullmatch(document.name)
    if found is None:
        raise InputError(
            f"{path}, line {document.line}: the document {document.name!r} is in no part of AIDA; "
            f"expected {START} (NUMBER TITLE), with testa or testb after the number."
        )
    document.name = found[1] + found[2]
    return found[2] == PARTS[part]


def _as_linked(mention: _Mention, document: _Document) -> LinkedMention:
    _, _, text, entity, address, identity, *_ = [*mention.columns, ""]
    return LinkedMention(
        f"{document.name}:{mention.first}",
        " ".join(document.tokens[: mention.first]),
        text,
        " ".join(document.tokens[mention.end :]),
        whole_id(identity),
        title_of(entity, address),
        document.name,
    )


def _documents(path: Path) -> Iterator[_Document]:
    document: _Document | None = None
    inside = False  # a mention
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                where, columns = f"{path}, line {number}", line.rstrip("\r\n").split("\t")
                if columns[0].startswith(START):
                    if document is not None:
                        yield document
                    document, inside = _Document(number, _name(columns[0], where)), False
                elif line.strip():
                    if document is None:
                        raise InputError(
                            f"{where}: a token before the first line of the form {START} (1 EU)."
                        )
                    inside = _add_token(document, columns, inside, number, where)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason}).") from None
    if document is None:
        raise InputError(f"{path}: holds no document.")
    yield document


def _name(text: str, where: str) -> str:
    bracketed = text.removeprefix(START).strip()
    name = bracketed.removeprefix("(").strip().removesuffix(")").strip()
    if not name or not bracketed.startswith("("):
        raise InputError(f"{where}: {text!r} names no document; expected {START} (NAME).")
    return name


def _add_token(
    document: _Document, columns: list[str], inside: bool, number: int, where: str
) -> bool:
    """Add a token and the mention that it begins or continues; tell whether it is in a mention."""
    position = len(document.tokens)
    document.tokens.append(columns[0])
    if len(columns) == 1:
        return False
    if len(columns) < 4 or columns[1] not in ("B", "I") or (columns[1] == "I" and not inside):
        raise InputError(
            f"{where}: expected a token alone, or token, B or I, mention and entity separated by "
            f"tabs (I after a B only), not {columns[:4]}."
        )
    if columns[1] == "I":
        document.mentions[-1].end = position + 1
    elif columns[2].strip():
        document.mentions.append(_Mention(number, position, position + 1, columns))
    else:
        raise InputError(f"{where}: the mention is empty.")
    return True
