"""Read a folder in ZESHEL's format and check everything in it.

``documents/<world>.json`` holds one document a line (``document_id``, ``title``, ``text``),
``mentions/{train,val,test}.json`` one mention a line, whose indices count the tokens of its context
document's text from 0, the end included. The format is that of Logeswaran et al. (ACL 2019). A
document may also have a ``type``, which ZESHEL's own documents lack.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from muver.io.checking import did_you_mean
from muver.io.errors import InputError
from muver.retriever.corpus.jsonl import read_json_lines
from muver.retriever.corpus.splits import SPLITS


class Document(Struct, frozen=True):
    """A line of ``documents/<world>.json``: an entity of the world."""

    document_id: str
    title: str
    text: str
    type: str | UnsetType = UNSET


class MentionLine(Struct, frozen=True):
    """A line of ``mentions/<split>.json``; ``start_index`` and ``end_index`` are inclusive."""

    mention_id: str
    context_document_id: str
    label_document_id: str
    text: str
    start_index: int
    end_index: int
    corpus: str
    category: str


class Mention(NamedTuple):
    """A mention with its split; ``where`` names file and line for messages."""

    line: MentionLine
    split: str
    where: str


def read_mentions(raw: Path) -> list[Mention]:
    """Read all mentions: those of train, then val, then test, each in the order of the file."""
    mentions: list[Mention] = []
    seen: dict[str, str] = {}
    for split in SPLITS:
        path = raw / "mentions" / f"{split}.json"
        _check_file(path)
        before = len(mentions)
        for number, line in read_json_lines(path, MentionLine):
            where = f"{path}, line {number}"
            first = seen.setdefault(line.mention_id, where)
            if first is not where:
                raise InputError(f"{where}: mention id {line.mention_id!r} repeats {first}.")
            mentions.append(Mention(line, split, where))
        if len(mentions) == before:
            raise InputError(f"{path}: holds no mentions; every split needs at least one.")
    return mentions


def split_of_worlds(raw: Path, mentions: Sequence[Mention]) -> dict[str, str]:
    """The split of every world, sorted by name; ``none`` for worlds without mentions."""
    folder = raw / "documents"
    worlds = {path.stem for path in folder.glob("[!.]*.json")}
    firsts: dict[str, Mention] = {}
    for mention in mentions:
        world = mention.line.corpus
        first = firsts.setdefault(world, mention)
        if world not in worlds:
            raise InputError(
                f"{mention.where}: its world {world!r} has no file {folder / world}.json."
                f"{did_you_mean(world, worlds)}"
            )
        if mention.split != first.split:
            raise InputError(
                f"{mention.where}: world {world!r} is in {mention.split}, but in {first.split} "
                f"too ({first.where}). Every world belongs to one split."
            )
    return {world: firsts[world].split if world in firsts else "none" for world in sorted(worlds)}


def read_documents(raw: Path, world: str) -> Iterator[Document]:
    """Yield a world's documents in file order; an entity's number is its line, from 0."""
    path = raw / "documents" / f"{world}.json"
    lines: dict[str, int] = {}
    for number, document in read_json_lines(path, Document):
        first = lines.setdefault(document.document_id, number)
        if first != number:
            raise InputError(
                f"{path}, line {number}: document id {document.document_id!r} is already that of "
                f"line {first}. Ids must differ within a world."
            )
        if not document.title.strip() and not document.text.strip():
            raise InputError(
                f"{path}, line {number}: both title and text are empty; an entity needs one."
            )
        yield document
    if not lines:
        raise InputError(f"{path}: holds no documents.")


def context_of(mention: Mention, text: str, tokens: int) -> tuple[str, str]:
    """The lower-cased words left and right of a mention, as BLINK converts ZESHEL.

    At most ``tokens`` are kept on each side, joined by spaces. Tokens are separated by single
    spaces; if the indices do not give the mention's text that way, by any white space. ZESHEL's
    authors count the second way, and the two differ where a token holds a no-break space.
    """
    line, where = mention.line, mention.where
    start, end = line.start_index, line.end_index
    if not 0 <= start <= end:
        raise InputError(
            f"{where}: start_index {start} and end_index {end} must be 0 <= start <= end."
        )
    for words in (text.split(" "), text.split()):
        if end < len(words) and " ".join(words[start : end + 1]) == line.text:
            left = words[max(0, start - tokens) : start]
            right = words[end + 1 : end + 1 + tokens]
            return " ".join(left).lower(), " ".join(right).lower()
    words = text.split(" ")
    if end >= len(words):
        raise InputError(
            f"{where}: end_index {end} is out of range, its context document "
            f"{line.context_document_id!r} has {len(words)} tokens."
        )
    raise InputError(
        f"{where}: tokens {start} to {end} of document {line.context_document_id!r} are "
        f"{' '.join(words[start : end + 1])!r}, but the mention's text is {line.text!r}."
    )


def _check_file(path: Path) -> None:
    if not path.parent.is_dir():
        raise InputError(
            f"{path.parent}: no such folder. A dataset has documents/<world>.json and "
            f"mentions/{{{','.join(SPLITS)}}}.json."
        )
    if not path.is_file():
        there = sorted(other.name for other in path.parent.glob("*.json"))
        raise InputError(
            f"{path}: no such file. A dataset has the mentions of each split: "
            f"{', '.join(f'{split}.json' for split in SPLITS)}; there are: "
            f"{', '.join(there) or 'none'}."
        )
