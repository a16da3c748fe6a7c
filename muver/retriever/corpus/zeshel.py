"""A dataset in ZESHEL's format, checked and written as the canonical tables of the retriever.

``documents/<world>.json`` holds an entity a line (Logeswaran et al., ACL 2019), and
``mentions/{train,val,test}.json`` one mention a line, whose indices count the tokens of its context
document's text from 0, the end included. Memory holds the mentions and one world.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec.structs import asdict

from muver.io.errors import InputError, did_you_mean, quoted
from muver.io.files import write_json
from muver.io.parquet import table_of, table_writer
from muver.io.progress import logger
from muver.retriever.corpus.corpus_settings import BuildCorpus
from muver.retriever.corpus.jsonl import Identity, WithIds, Wrong, read_json_lines, refuse
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, ROWS_A_GROUP
from muver.retriever.corpus.sources import SPLITS, WorldCounts
from muver.retriever.corpus.statistics import Counts, count, fingerprint
from muver.retriever.corpus.texts import nearest

Row = tuple[Any, ...]


class Document(WithIds):
    """A line of ``documents/<world>.json``; ZESHEL's own have no ``type``."""

    document_id: Identity
    title: str
    text: str
    type: str | None = None


class Mention(WithIds):
    """A line of ``mentions/<split>.json``, its split, and file and line for messages."""

    mention_id: Identity
    context_document_id: Identity
    label_document_id: Identity
    text: str
    start_index: int
    end_index: int
    corpus: str
    category: str
    split: str = ""
    where: str = ""


class _Enough(Exception):
    """So many mistakes as are asked for."""


def build_corpus(
    name: str,
    raw: Path,
    entities_path: Path,
    mentions_path: Path,
    counts_path: Path,
    settings: BuildCorpus,
) -> Counts:
    """Check a dataset in ZESHEL's format and write its entities, mentions and counts.

    Nothing is written unless everything is in order, the published counts included where
    ``settings.expected`` names them.
    """
    mentions = read_mentions(raw)
    rows: dict[str, Row] = {}
    worlds: dict[str, WorldCounts] = {}
    with table_writer(entities_path, ENTITIES) as writer:
        for world, split, documents, inside in _checked(raw, mentions, settings.context_tokens):
            lines = [
                {"world": world, "entity": number, **asdict(document)}
                for number, document in enumerate(documents)
            ]
            table = pa.Table.from_pylist(lines, ENTITIES)
            writer.write_table(table, row_group_size=ROWS_A_GROUP)
            rows |= inside
            without_text = sum(not document.text.strip() for document in documents)
            _tell(world, [document.title.strip() for document in documents], without_text)
            worlds[world] = WorldCounts(split, len(documents), len(inside), without_text)
        files = [raw / "documents" / f"{world}.json" for world in worlds]
        files += [raw / "mentions" / f"{split}.json" for split in SPLITS]
        counts = count(name, fingerprint(raw, files), worlds, settings.expected)
    with table_writer(mentions_path, MENTIONS) as writer:
        in_order = [rows[mention.mention_id] for mention in mentions]
        table = table_of(MENTIONS, list(zip(*in_order, strict=True)))
        writer.write_table(table, row_group_size=ROWS_A_GROUP)
    write_json(counts_path, counts)
    return counts


def mistakes(raw: Path, most: int) -> list[str]:
    """The first ``most`` mistakes of a folder in ZESHEL's format, each with its file, line and key;
    none if :func:`build_corpus` takes it.
    """
    messages: list[str] = []

    def wrong(mistake: str) -> None:
        messages.append(mistake)
        if len(messages) == most:
            raise _Enough

    with contextlib.suppress(_Enough):
        for _ in _checked(raw, read_mentions(raw, wrong), 1, wrong):
            pass
    return messages


def _checked(
    raw: Path, mentions: Sequence[Mention], tokens: int, wrong: Wrong = refuse
) -> Iterator[tuple[str, str, list[Document], dict[str, Row]]]:
    """Each world's name, split, documents, and rows of `MENTIONS` by the mentions' ids."""
    for world, split in split_of_worlds(raw, mentions, wrong).items():
        documents = read_documents(raw / "documents" / f"{world}.json", wrong)
        numbers = {identity: number for number, identity in enumerate(documents)}
        rows: dict[str, Row] = {}
        for mention in mentions:
            if mention.corpus == world:
                try:
                    rows[mention.mention_id] = _mention_row(mention, documents, numbers, tokens)
                except InputError as error:
                    wrong(str(error))
        yield world, split, list(documents.values()), rows


def read_mentions(raw: Path, wrong: Wrong = refuse) -> list[Mention]:
    """All mentions: those of train, then val, then test, each in the order of the file."""
    mentions: list[Mention] = []
    seen: dict[str, str] = {}
    for split in SPLITS:
        path = raw / "mentions" / f"{split}.json"
        if not path.is_file():
            wrong(
                f"{path}: no such file. A dataset has documents/<world>.json and "
                f"mentions/{{{','.join(SPLITS)}}}.json."
            )
            continue
        if not path.stat().st_size:
            wrong(f"{path}: holds no mentions; every split needs at least one.")
        for number, mention in read_json_lines(path, Mention, wrong):
            mention.split, mention.where = split, f"{path}, line {number}"
            first = seen.setdefault(mention.mention_id, mention.where)
            if first is not mention.where:
                wrong(f"{mention.where}: mention_id {quoted(mention.mention_id)} repeats {first}.")
            mentions.append(mention)
    return mentions


def split_of_worlds(
    raw: Path, mentions: Sequence[Mention], wrong: Wrong = refuse
) -> dict[str, str]:
    """The split of every world, sorted by name; ``none`` for worlds without mentions."""
    folder = raw / "documents"
    worlds = {path.stem for path in folder.glob("[!.]*.json")}
    firsts: dict[str, Mention] = {}
    seen: set[tuple[str, str]] = set()
    for mention in mentions:
        if (mention.corpus, mention.split) in seen:
            continue
        seen.add((mention.corpus, mention.split))
        first = firsts.setdefault(mention.corpus, mention)
        if mention.corpus not in worlds:
            wrong(
                f"{mention.where}: its corpus, the world {quoted(mention.corpus)}, has no file "
                f"{folder / mention.corpus}.json.{did_you_mean(mention.corpus, worlds)}"
            )
        elif mention is not first:
            wrong(
                f"{mention.where}: corpus {quoted(mention.corpus)} is in {mention.split}, but in "
                f"{first.split} too ({first.where}). Every world belongs to one split."
            )
    return {world: firsts[world].split if world in firsts else "none" for world in sorted(worlds)}


def read_documents(path: Path, wrong: Wrong = refuse) -> dict[str, Document]:
    """The documents of a world by id, in the order of the file."""
    documents: dict[str, Document] = {}
    if not path.stat().st_size:
        wrong(f"{path}: holds no documents.")
    for line, document in read_json_lines(path, Document, wrong):
        if documents.setdefault(document.document_id, document) is not document:
            first = list(documents).index(document.document_id) + 1
            wrong(
                f"{path}, line {line}: document_id {quoted(document.document_id)} is already that "
                f"of line {first}. Ids must differ within a world."
            )
        if not document.title.strip() and not document.text.strip():
            wrong(f"{path}, line {line}: both title and text are empty; an entity needs one.")
    return documents


def _tell(world: str, titles: Sequence[str], without_text: int) -> None:
    without_title, same = titles.count(""), len(titles) - len(set(titles))
    if without_text or without_title or same:
        logger.warning(
            "%s: documents: %d, without a text: %d, without a title: %d, with the title of one "
            "before, as one candidate under retrieve.match: title: %d",
            world, len(titles), without_text, without_title, same,
        )  # fmt: skip


def _mention_row(
    mention: Mention, documents: Mapping[str, Document], numbers: Mapping[str, int], tokens: int
) -> Row:
    for kind in ("context", "label"):
        if (document := getattr(mention, f"{kind}_document_id")) not in documents:
            raise InputError(
                f"{mention.where}: {kind}_document_id {quoted(document)} is not in "
                f"documents/{mention.corpus}.json."
            )
    left, right = context_of(mention, documents[mention.context_document_id].text, tokens)
    return (
        mention.mention_id, mention.split, mention.corpus, mention.context_document_id, left,
        mention.text.lower(), right, numbers[mention.label_document_id], mention.category,
    )  # fmt: skip


def context_of(mention: Mention, text: str, tokens: int) -> tuple[str, str]:
    """The lower-cased words left and right of a mention, as BLINK converts ZESHEL.

    At most ``tokens`` are kept on each side, joined by spaces. Tokens are separated by single
    spaces; if the indices do not give the mention's text that way, by any white space. ZESHEL's
    authors count the second way, and the two differ where a token holds a no-break space.
    """
    start, end = mention.start_index, mention.end_index
    if 0 <= start <= end:
        for words in (text.split(" "), text.split()):
            if end < len(words) and " ".join(words[start : end + 1]) == mention.text:
                return nearest(words[:start], words[end + 1 :], tokens)
    words = text.split(" ")
    raise InputError(
        f"{mention.where}: start_index {start} to end_index {end} of document "
        f"{quoted(mention.context_document_id)} ({len(words)} tokens) are "
        f"{quoted(' '.join(words[max(start, 0) : end + 1]))}, but the mention's text is "
        f"{quoted(mention.text)}."
    )
