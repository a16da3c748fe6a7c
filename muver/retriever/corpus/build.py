"""Turn raw files in ZESHEL's format into the canonical tables, one world in memory at a time."""

from collections import defaultdict
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from msgspec import UNSET

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.parquet import table_of, table_writer
from muver.io.progress import Progress, logger
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, ROWS_A_GROUP
from muver.retriever.corpus.settings import BuildCorpus
from muver.retriever.corpus.splits import SPLITS
from muver.retriever.corpus.statistics import Counts, WorldCounts, count, fingerprint
from muver.retriever.corpus.zeshel import (
    Mention,
    context_of,
    read_documents,
    read_mentions,
    split_of_worlds,
)

Row = tuple[Any, ...]


def build_corpus(
    name: str,
    raw: Path,
    entities_path: Path,
    mentions_path: Path,
    counts_path: Path,
    settings: BuildCorpus,
) -> Counts:
    """Check a folder in ZESHEL's format and write its entities, mentions and counts.

    Nothing is written unless everything is in order, the published counts included where
    ``settings.expected`` names them. ``raw`` holds ``documents/`` and ``mentions/``; the tables are
    those of `muver.retriever.corpus.schema`.
    """
    mentions = read_mentions(raw)
    splits = split_of_worlds(raw, mentions)
    by_world: dict[str, list[int]] = defaultdict(list)
    for index, mention in enumerate(mentions):
        by_world[mention.line.corpus].append(index)
    rows: list[Row] = [()] * len(mentions)
    worlds: dict[str, WorldCounts] = {}
    progress = Progress("reading", len(splits), "worlds")
    with table_writer(entities_path, ENTITIES) as writer:
        for world, split in splits.items():
            own = [mentions[index] for index in by_world[world]]
            numbers, texts, without_text = _write_world(raw, world, own, writer)
            for index, mention in zip(by_world[world], own, strict=True):
                rows[index] = _mention_row(mention, numbers, texts, settings.context_tokens)
            worlds[world] = WorldCounts(split, len(numbers), len(own), without_text)
            progress.advance(note=world)
        files = [raw / "documents" / f"{world}.json" for world in splits]
        files += [raw / "mentions" / f"{split}.json" for split in SPLITS]
        counts = count(name, fingerprint(raw, files), worlds, settings.expected)
    columns = list(zip(*rows, strict=True))
    with table_writer(mentions_path, MENTIONS) as writer:
        writer.write_table(table_of(MENTIONS, columns), row_group_size=ROWS_A_GROUP)
    write_json(counts_path, counts)
    progress.finish()
    return counts


def _write_world(
    raw: Path, world: str, mentions: list[Mention], writer: pq.ParquetWriter
) -> tuple[dict[str, int], dict[str, str], int]:
    """Write a world's entities.

    Returns
    -------
    Entity numbers by document id, the texts that mentions stand in, and how many entities have no
    text.
    """
    contexts = {mention.line.context_document_id for mention in mentions}
    numbers: dict[str, int] = {}
    texts: dict[str, str] = {}
    without_text = 0
    titles: set[str] = set()
    documents = read_documents(raw, world)
    while group := list(islice(documents, ROWS_A_GROUP)):
        rows: list[Row] = []
        for document in group:
            number = numbers[document.document_id] = len(numbers)
            kind = None if document.type is UNSET else document.type
            rows.append((world, number, document.document_id, document.title, document.text, kind))
            without_text += not document.text.strip()
            titles.add(document.title)
            if document.document_id in contexts:
                texts[document.document_id] = document.text
        columns = list(zip(*rows, strict=True))
        writer.write_table(table_of(ENTITIES, columns), row_group_size=ROWS_A_GROUP)
    _warn(f"documents/{world}.json", len(numbers), without_text, len(numbers) - len(titles))
    return numbers, texts, without_text


def _warn(file: str, entities: int, without_text: int, same_title: int) -> None:
    """Warn of what is allowed but may be a mistake in the data."""
    if without_text:
        logger.warning(
            "%s: %d of %d descriptions are empty; such an entity is found by its title alone",
            file, without_text, entities,
        )  # fmt: skip
    if same_title:
        logger.warning(
            "%s: %d of %d entities have the title of one before; retrieve.match: title counts "
            "them as one candidate, retrieve.match: id apart", file, same_title, entities,
        )  # fmt: skip


def _mention_row(
    mention: Mention, numbers: dict[str, int], texts: dict[str, str], tokens: int
) -> Row:
    line = mention.line
    for kind, document in (
        ("context", line.context_document_id), ("gold", line.label_document_id)
    ):  # fmt: skip
        if document not in numbers:
            raise InputError(
                f"{mention.where}: its {kind} document {document!r} is not in "
                f"documents/{line.corpus}.json."
            )
    left, right = context_of(mention, texts[line.context_document_id], tokens)
    return (
        line.mention_id, mention.split, line.corpus, line.context_document_id, left,
        line.text.lower(), right, numbers[line.label_document_id], line.category,
    )  # fmt: skip
