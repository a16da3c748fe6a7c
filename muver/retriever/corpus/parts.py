"""The one Wikipedia of the published benchmarks, in parts, and other texts for its entities.

`muver.retriever.corpus.knowledge_base` says what is written and reads it.
"""

from array import array
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import sha256_of, short_hash, write_manifest
from muver.io.matrices import save_matrix
from muver.io.parquet import row_groups, table_of, table_writer, write_table
from muver.io.progress import logger
from muver.retriever.corpus.corpus_settings import BadLines, ReadDump, ReadTexts
from muver.retriever.corpus.kilt import read_page, read_text
from muver.retriever.corpus.knowledge_base import (
    MANIFEST,
    NONE,
    SCHEMA,
    KnowledgeBase,
    part_name,
    title_hash,
)
from muver.retriever.corpus.opening import Notes, good_lines, plain
from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.corpus.sources import Sizes
from muver.retriever.corpus.statistics import check_published, identify

ROWS_A_GROUP = 1_000
CHARACTERS_A_GROUP = 1 << 22


def read_dump(dump: Path, folder: Path, settings: ReadDump, workers: int = 1) -> dict[str, Any]:
    """Read KILT's knowledge source into a knowledge base in parts.

    A part has the entities whose lines begin within ``part_bytes`` of the dump. Memory holds a row
    group, and 16 bytes for each entity. The bytes written are the same with any number of workers.
    If the bad lines, the ids or the number of entities are not as the settings allow, there is no
    manifest.

    Returns
    -------
    The base's counts.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in (folder / MANIFEST, *folder.glob("part-*.*")):
        old.unlink(missing_ok=True)
    bad, without_paragraphs = Notes(), 0
    ids, hashes = array("q"), array("Q")
    parse = partial(read_page, paragraphs=settings.paragraphs)
    pages = good_lines(dump, parse, settings, bad, workers)
    parts = []
    by_part = groupby(pages, key=lambda page: page[0] // settings.part_bytes)
    for number, (_, lines) in enumerate(by_part):
        path, first = folder / part_name(number), len(ids)
        with table_writer(path, SCHEMA, compression="zstd") as writer:
            for group in row_groups(
                (page for _, page in lines),
                lambda page: sum(map(len, page.paragraphs)),
                ROWS_A_GROUP,
                CHARACTERS_A_GROUP,
            ):
                ids.extend(int(page.id) for page in group)
                hashes.extend(title_hash(page.title) for page in group)
                without_paragraphs += sum(not page.paragraphs for page in group)
                table = table_of(SCHEMA, list(zip(*group, strict=True)))
                writer.write_table(table, row_group_size=len(group))
        part = {"file": path.name, "first": first, "entities": len(ids) - first}
        parts.append({**part, "fingerprint": sha256_of(path)})
    if not ids:
        raise InputError(f"{dump}: holds no page.")
    sizes = Sizes(entities={WIKIPEDIA: len(ids)})
    check_published(dump, sizes, settings.expected)
    by_id = np.argsort(ids, kind="stable")
    ordered = np.asarray(ids)[by_id]
    counts = {
        "entities": len(ids),
        "without_paragraphs": without_paragraphs,
        "duplicates": _duplicates(dump, ordered[1:][ordered[1:] == ordered[:-1]], settings),
        "bad": msgspec.to_builtins(bad),
    }
    by_title = np.argsort(hashes, kind="stable").astype(np.uint64)
    save_matrix(folder / "ids.npy", np.asarray(ids))
    save_matrix(folder / "by_id.npy", by_id)
    save_matrix(folder / "by_title.npy", np.stack([np.asarray(hashes)[by_title], by_title]))
    _finish(folder, "kb", settings, {}, dump, parts, counts, identified_as=identify(sizes))
    return counts


def write_texts(source: Path, kb: Path, folder: Path, settings: ReadTexts) -> dict[str, Any]:
    """Find the text of each entity of a knowledge base in BLINK's entity.jsonl.

    A text is found by its entity's id.

    The file, whose lines may be in any order, is read twice: to find where each entity's line
    begins, then part by part of the base. Memory holds eight bytes an entity, 16 a line, and the
    texts of one part. If there are too many bad lines, repeated ids that the settings refuse, no
    known id, or another number of lines than expected, nothing is written.

    Returns
    -------
    The counts: ``found``: entities with a line; ``empty``: those whose text is empty; ``missing``:
    entities without a line; ``unknown``: lines with an id that the base lacks; ``again``: lines
    that repeat an id; ``bad``: lines of another form.
    """
    if plain(source) != source:
        raise InputError(f"{source}: compressed, but is read in many places. Unpack it first.")
    base = KnowledgeBase(kb)
    places, counts = _find_lines(source, base, settings)
    (folder / MANIFEST).unlink(missing_ok=True)  # an old manifest must not stand beside new parts
    parts = []
    for part in base.manifest["parts"]:
        path = folder / part["file"]
        numbers = np.arange(part["first"], part["first"] + part["entities"])
        entities = base.rows(numbers, ["id", "title"])
        texts = pa.array(_texts(source, places[numbers]), SCHEMA.field("paragraphs").type)
        table = entities.append_column(SCHEMA.field("paragraphs"), texts)
        write_table(path, table, compression="zstd")
        parts.append({**part, "fingerprint": sha256_of(path)})
    inputs = {"kb": base.manifest["fingerprint"], "source": sha256_of(source)}
    _finish(folder, "kb-texts", settings, inputs, source, parts, counts, entities=len(base))
    return counts


def _finish(
    folder: Path,
    stage: str,
    settings: BadLines,
    inputs: dict[str, str],
    source: Path,
    parts: list[dict[str, Any]],
    counts: dict[str, Any],
    **named: Any,
) -> None:
    """Write the manifest of a folder of parts, and tell its counts."""
    write_manifest(
        folder / MANIFEST,
        stage,
        settings.as_dict(),
        inputs,
        fingerprint=short_hash([part["fingerprint"] for part in parts], 64),
        **named,
        source={"file": source.name, "bytes": source.stat().st_size},
        **counts,
        parts=parts,
    )
    totals = {**counts, "bad": sum(note["count"] for note in counts["bad"].values())}
    logger.info("%s: %s", folder, ", ".join(f"{what} {count}" for what, count in totals.items()))


def _find_lines(
    source: Path, base: KnowledgeBase, settings: ReadTexts
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The first byte of each entity's line, (entities,) int64, -1 if it has none; and counts."""
    ids, starts, empty, bad = array("q"), array("q"), array("b"), Notes()
    for byte, page in good_lines(source, read_text, settings, bad):
        ids.append(int(page.id))
        starts.append(byte)
        empty.append(not page.paragraphs)
    numbers = base.by_id(ids)
    known = np.flatnonzero(numbers != NONE)
    if not len(known):
        raise InputError(
            f"{source}: no text has the id of an entity in {base.folder}; {len(ids)} were read. Is "
            "it of the same Wikipedia?"
        )
    check_published(source, Sizes(entities={WIKIPEDIA: len(ids)}), settings.expected)
    with_line, first = np.unique(numbers[known], return_index=True)
    lines = known[first]
    places = np.full(len(base), NONE, np.int64)
    places[with_line] = np.asarray(starts)[lines]
    repeated = np.asarray(ids)[np.setdiff1d(known, lines)]
    return places, {
        "found": len(with_line),
        "missing": len(base) - len(with_line),
        "empty": int(np.asarray(empty)[lines].sum()),
        "unknown": len(ids) - len(known),
        "again": _duplicates(source, repeated, settings),
        "bad": msgspec.to_builtins(bad),
    }


def _duplicates(path: Path, ids: NDArray[np.int64], settings: BadLines) -> int:
    """How many lines repeat an id; ``ids`` are theirs."""
    if len(ids) and settings.duplicates == "refuse":
        raise InputError(
            f"{path}: {len(ids)} lines repeat an id, the first {ids[0]}. Was the file joined from "
            "two downloads? Fetch it anew, or look up the first line of each id with "
            '--settings \'{"duplicates": "first"}\'.'
        )
    return len(ids)


def _texts(source: Path, places: NDArray[np.int64]) -> list[list[str]]:
    """The text of each entity, or nothing, from the lines that begin at these bytes."""
    texts: list[list[str]] = [[] for _ in places]
    there = np.flatnonzero(places != NONE)
    with open(source, "rb") as file:
        for row in there[np.argsort(places[there])].tolist():  # forwards through the file
            file.seek(int(places[row]))
            texts[row] = read_text(file.readline()).paragraphs
    return texts
