"""From raw files to the canonical tables, one world in memory at a time."""

from collections import defaultdict
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muver.corpus.schema import ENTITIES, MENTIONS, ROWS_A_GROUP
from muver.corpus.splits import SPLITS
from muver.corpus.statistics import count, fingerprint
from muver.corpus.zeshel import (
    Mention,
    context_of,
    read_documents,
    read_mentions,
    split_of_worlds,
)
from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.parquet import table_writer
from muver.io.progress import Progress

Row = tuple[Any, ...]


def build_corpus(
    name: str,
    raw: Path,
    entities_path: Path,
    mentions_path: Path,
    counts_path: Path,
    context_tokens: int = 128,
    expected: str | None = None,
) -> dict[str, Any]:
    """Check a folder in ZESHEL's format and write it as entities, mentions and counts.

    Nothing is written unless everything is in order.

    Parameters
    ----------
    name
        The dataset's name, as it appears in the counts.
    raw
        The folder with ``documents/`` and ``mentions/``.
    entities_path, mentions_path, counts_path
        Where the tables (`muver.corpus.schema`) and the counts go.
    context_tokens
        Tokens kept on each side of a mention.
    expected
        Name of a declared source whose published counts must be met, or None.

    Returns
    -------
    The counts.

    Raises
    ------
    InputError
        For anything wrong in the files, naming file and line, and for counts that differ.
    """
    mentions = read_mentions(raw)
    splits = split_of_worlds(raw, mentions)
    by_world: dict[str, list[int]] = defaultdict(list)
    for index, mention in enumerate(mentions):
        by_world[mention.world].append(index)
    rows: list[Row] = [()] * len(mentions)
    worlds: dict[str, dict[str, Any]] = {}
    progress = Progress("reading", len(splits), "worlds")
    with table_writer(entities_path, ENTITIES) as writer:
        for world, split in splits.items():
            its_mentions = [mentions[index] for index in by_world[world]]
            numbers, texts, without_text = _write_world(raw, world, its_mentions, writer)
            for index, mention in zip(by_world[world], its_mentions, strict=True):
                rows[index] = _mention_row(mention, numbers, texts, context_tokens)
            worlds[world] = {
                "split": split,
                "entities": len(numbers),
                "mentions": len(its_mentions),
                "without_text": without_text,
            }
            progress.advance(note=world)
        files = [raw / "documents" / f"{world}.json" for world in splits]
        files += [raw / "mentions" / f"{split}.json" for split in SPLITS]
        counts = count(name, fingerprint(raw, files), worlds, expected)
    with table_writer(mentions_path, MENTIONS) as writer:
        _write(writer, rows, MENTIONS)
    write_json(counts_path, counts)
    progress.finish()
    return counts


def _write_world(
    raw: Path, world: str, mentions: list[Mention], writer: pq.ParquetWriter
) -> tuple[dict[str, int], dict[str, str], int]:
    """Write a world's entities; give their numbers by id, the texts that its mentions stand in,
    and how many have no text."""
    contexts = {mention.context_id for mention in mentions}
    numbers: dict[str, int] = {}
    texts: dict[str, str] = {}
    without_text = 0
    documents = read_documents(raw, world)
    while group := list(islice(documents, ROWS_A_GROUP)):
        rows: list[Row] = []
        for document in group:
            number = numbers[document.document_id] = len(numbers)
            fields = (document.document_id, document.title, document.text, document.type)
            rows.append((world, number, *fields))
            without_text += not document.text.strip()
            if document.document_id in contexts:
                texts[document.document_id] = document.text
        _write(writer, rows, ENTITIES)
    return numbers, texts, without_text


def _mention_row(
    mention: Mention, numbers: dict[str, int], texts: dict[str, str], tokens: int
) -> Row:
    for kind, document_id in (("context", mention.context_id), ("gold", mention.gold_id)):
        if document_id not in numbers:
            raise InputError(
                f"{mention.where}: its {kind} document {document_id!r} is not in "
                f"documents/{mention.world}.json."
            )
    left, right = context_of(mention, texts[mention.context_id], tokens)
    return (
        mention.mention_id, mention.split, mention.world, mention.context_id, left,
        mention.text.lower(), right, numbers[mention.gold_id], mention.category,
    )  # fmt: skip


def _write(writer: pq.ParquetWriter, rows: list[Row], schema: pa.Schema) -> None:
    columns = [
        pa.array(values, field.type)
        for values, field in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=ROWS_A_GROUP)
