"""The AIDA CoNLL-YAGO corpus as its authors publish it, to BLINK's JSON lines.

One token a line, columns separated by tabs: the token; ``B`` or ``I`` if it begins or goes on with
a mention; the whole mention; the entity in YAGO2's spelling (``\\u0028`` for a character,
underscores for spaces) or ``--NME--`` for none; its Wikipedia address; its Wikipedia id; its
Freebase mid. Columns from the second on are there for mentions only. Empty lines separate
sentences, a line ``-DOCSTART- (947testa CRICKET)`` begins a document; the number's ending tells
the part (Hoffart et al., EMNLP 2011, and the description that comes with the corpus).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from muver.errors import InputError
from muver.files import atomic_path, write_json
from muver.progress import logger

START = "-DOCSTART-"
NO_ENTITY = "--NME--"
PARTS = {"": "aida-train", "testa": "aida-testa", "testb": "aida-testb"}
_DOCUMENT = re.compile(r"-DOCSTART- \((\d+)(testa|testb|) ?.*\)")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


@dataclass
class _Document:
    name: str
    part: str
    tokens: list[str] = field(default_factory=list)
    mentions: list[tuple[int, int, list[str]]] = field(default_factory=list)  # first, end, columns


def convert_aida(path: str | Path, folder: str | Path) -> dict[str, dict[str, int]]:
    """Write ``aida-train.jsonl``, ``aida-testa.jsonl``, ``aida-testb.jsonl`` and ``counts.json``.

    A mention's context is the rest of its document, tokens joined by spaces. Mentions without an
    entity (``--NME--``) are counted and left out.

    Returns
    -------
    For each part its documents, mentions and those without an entity.

    Raises
    ------
    InputError
        Naming file and line of what does not fit the format; nothing is written for that part.
    """
    path, folder = Path(path), Path(folder)
    lines: dict[str, list[dict[str, Any]]] = {name: [] for name in PARTS.values()}
    counts = {name: {"documents": 0, "mentions": 0, "no_entity": 0} for name in PARTS.values()}
    for document in _documents(path):
        its = counts[document.part]
        its["documents"] += 1
        records = list(_records(document))
        its["mentions"] += len(records)
        its["no_entity"] += len(document.mentions) - len(records)
        lines[document.part] += records
    for name, records in lines.items():
        with atomic_path(folder / f"{name}.jsonl") as temporary, open(temporary, "wb") as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")
        logger.info(
            "%s: %d mentions in %d documents, %d more without an entity",
            name, counts[name]["mentions"], counts[name]["documents"], counts[name]["no_entity"],
        )  # fmt: skip
    write_json(folder / "counts.json", counts)
    return counts


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


def _documents(path: Path) -> Iterator[_Document]:
    document: _Document | None = None
    inside = False  # a mention that may go on
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        columns = line.split("\t")
        if columns[0].startswith(START):
            if document is not None:
                yield document
            document, inside = _begin(columns[0], where), False
        elif not line.strip():
            inside = False
        elif document is None:
            raise InputError(f"{where}: a token before the first line of the form {START} (1 EU).")
        else:
            _take(document, columns, inside, where)
            inside = len(columns) > 1
    if document is None:
        raise InputError(f"{path}: holds no document.")
    yield document


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with open(path, encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
    except FileNotFoundError:
        raise InputError(
            f"{path}: no such file. The corpus is made with its authors' program from the CoNLL "
            "2003 data, which need a licence; docs/wikipedia.md says where."
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason}).") from None


def _begin(text: str, where: str) -> _Document:
    found = _DOCUMENT.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"{where}: {text!r} names no document; expected {START} (NUMBER TITLE), with testa or "
            "testb after the number."
        )
    return _Document(found[1] + found[2], PARTS[found[2]])


def _take(document: _Document, columns: list[str], inside: bool, where: str) -> None:
    """Add a token, and the mention that it begins or goes on with."""
    position = len(document.tokens)
    document.tokens.append(columns[0])
    if len(columns) == 1:
        return
    if len(columns) < 4 or columns[1] not in ("B", "I") or (columns[1] == "I" and not inside):
        raise InputError(
            f"{where}: expected a token alone, or token, B or I, mention and entity separated by "
            f"tabs (I after a B only), not {columns[:4]}."
        )
    if columns[1] == "B":
        document.mentions.append((position, position + 1, columns))
    else:
        first, _, begun = document.mentions[-1]
        document.mentions[-1] = (first, position + 1, begun)


def _records(document: _Document) -> Iterator[dict[str, Any]]:
    for first, end, columns in document.mentions:
        _, _, text, entity, address, identity, *_ = [*columns, "", ""]
        if entity == NO_ENTITY:
            continue
        yield {
            "context_left": " ".join(document.tokens[:first]),
            "mention": text,
            "context_right": " ".join(document.tokens[end:]),
            "query_id": f"{document.name}:{first}",
            "Wikipedia_ID": identity,
            "Wikipedia_URL": address,
            "Wikipedia_title": title_of(entity, address),
        }
