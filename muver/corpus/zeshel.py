"""Reading a folder in ZESHEL's format, with everything in it checked.

``documents/<world>.json`` holds one document a line (``document_id``, ``title``, ``text``),
``mentions/{train,val,test}.json`` one mention a line; its indices count the tokens of its context
document's text, from 0, end included. The format is that of Logeswaran et al. (ACL 2019); a
document may also have a ``type``, which ZESHEL's have not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from muver.corpus.jsonl import read_json_lines
from muver.corpus.splits import SPLITS
from muver.io.checking import did_you_mean
from muver.io.errors import InputError

DOCUMENT_FIELDS = {"document_id": str, "title": str, "text": str}
OPTIONAL_DOCUMENT_FIELDS = {"type": str}
MENTION_FIELDS = {
    "mention_id": str,
    "context_document_id": str,
    "label_document_id": str,
    "text": str,
    "start_index": int,
    "end_index": int,
    "corpus": str,
    "category": str,
}


@dataclass(frozen=True, slots=True)
class Document:
    """An entity of a world: the line number from 0 is its number."""

    document_id: str
    title: str
    text: str
    type: str | None


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention as the file has it; ``start`` and ``end`` are inclusive token indices."""

    mention_id: str
    split: str
    world: str
    context_id: str
    gold_id: str
    text: str
    start: int
    end: int
    category: str
    where: str  # file and line, for messages


def read_mentions(raw: Path) -> list[Mention]:
    """All mentions: the train file, then val, then test, each in its own order.

    Raises
    ------
    InputError
        For a missing or empty file, a malformed line, a repeated mention id, or a world that
        occurs in two splits.
    """
    mentions: list[Mention] = []
    seen: dict[str, str] = {}
    for split in SPLITS:
        path = raw / "mentions" / f"{split}.json"
        _need(path)
        before = len(mentions)
        for number, line in read_json_lines(path, MENTION_FIELDS):
            where = f"{path}, line {number}"
            first = seen.setdefault(line["mention_id"], where)
            if first is not where:
                raise InputError(f"{where}: mention id {line['mention_id']!r} repeats {first}.")
            mentions.append(
                Mention(
                    line["mention_id"], split, line["corpus"], line["context_document_id"],
                    line["label_document_id"], line["text"], line["start_index"],
                    line["end_index"], line["category"], where,
                )
            )  # fmt: skip
        if len(mentions) == before:
            raise InputError(f"{path}: holds no mentions; every split needs at least one.")
    return mentions


def split_of_worlds(raw: Path, mentions: Sequence[Mention]) -> dict[str, str]:
    """Split of every world, sorted by name; ``none`` for worlds without mentions.

    Raises
    ------
    InputError
        For a world whose file is missing (with the nearest name that is there), or whose mentions
        stand in two splits.
    """
    folder = raw / "documents"
    worlds = {path.stem for path in folder.glob("[!.]*.json")}
    splits: dict[str, Mention] = {}
    for mention in mentions:
        first = splits.setdefault(mention.world, mention)
        if mention.world not in worlds:
            raise InputError(
                f"{mention.where}: its world {mention.world!r} has no file "
                f"{folder / mention.world}.json.{did_you_mean(mention.world, worlds)}"
            )
        if mention.split != first.split:
            raise InputError(
                f"{mention.where}: world {mention.world!r} is in {mention.split}, but in "
                f"{first.split} too ({first.where}). Every world belongs to one split."
            )
    return {world: splits[world].split if world in splits else "none" for world in sorted(worlds)}


def read_documents(raw: Path, world: str) -> Iterator[Document]:
    """The documents of a world in file order.

    Raises
    ------
    InputError
        For a malformed line, a repeated document id, or a document with neither title nor text.
    """
    path = raw / "documents" / f"{world}.json"
    lines: dict[str, int] = {}
    for number, line in read_json_lines(path, DOCUMENT_FIELDS, OPTIONAL_DOCUMENT_FIELDS):
        document = Document(line["document_id"], line["title"], line["text"], line.get("type"))
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
    """The lower-cased words around a mention, as BLINK converts ZESHEL.

    Tokens are what stands between single spaces. Where the indices do not give the mention's
    text that way, any white space counts as a separator (ZESHEL's authors count so; the two
    differ where a token holds a no-break space).

    Parameters
    ----------
    mention
        The mention.
    text
        Text of its context document.
    tokens
        How many tokens to keep on each side.

    Returns
    -------
    Left and right context, tokens joined by spaces.

    Raises
    ------
    InputError
        If the indices are out of range or do not give the mention's text.
    """
    start, end = mention.start, mention.end
    if not 0 <= start <= end:
        raise InputError(
            f"{mention.where}: start_index {start} and end_index {end} must be 0 <= start <= end."
        )
    for words in (text.split(" "), text.split()):
        if end < len(words) and " ".join(words[start : end + 1]) == mention.text:
            left = words[max(0, start - tokens) : start]
            right = words[end + 1 : end + 1 + tokens]
            return " ".join(left).lower(), " ".join(right).lower()
    words = text.split(" ")
    if end >= len(words):
        raise InputError(
            f"{mention.where}: end_index {end} is out of range, its context document "
            f"{mention.context_id!r} has {len(words)} tokens."
        )
    raise InputError(
        f"{mention.where}: tokens {start} to {end} of document {mention.context_id!r} are "
        f"{' '.join(words[start : end + 1])!r}, but the mention's text is {mention.text!r}."
    )


def _need(path: Path) -> None:
    if not path.parent.is_dir():
        raise InputError(
            f"{path.parent}: no such folder. A dataset has documents/<world>.json and "
            f"mentions/{{{','.join(SPLITS)}}}.json."
        )
    if not path.is_file():
        there = [other.name for other in path.parent.glob("*.json")]
        raise InputError(
            f"{path}: no such file.{did_you_mean(path.name, there)} "
            f"There are: {', '.join(sorted(there)) or 'none'}."
        )
