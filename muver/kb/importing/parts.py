"""The one Wikipedia of the published benchmarks, in parts, and other texts for its entities.

`muver.retriever.corpus.knowledge_base` says what is written and reads it.
"""

from array import array
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of, short_hash, write_manifest
from muver.io.matrices import save_matrix
from muver.io.parquet import row_groups, table_of
from muver.io.progress import logger
from muver.kb.importing.items import Entity, LeftOut
from muver.kb.importing.lines import Place, check_bad, parsed_lines
from muver.kb.importing.sources import COMPRESSIONS
from muver.kb.importing.sources.blink import read_entity
from muver.kb.importing.sources.kilt import Page, read_page
from muver.kb.importing.tidy import Notes
from muver.retriever.corpus.knowledge_base import (
    MANIFEST,
    NONE,
    SCHEMA,
    TEXTS,
    KnowledgeBase,
    part_name,
    title_hash,
)
from muver.retriever.corpus.schema import WIKIPEDIA
from muver.retriever.corpus.settings import ReadDump, ReadTexts
from muver.retriever.corpus.statistics import Sizes, check_published, identify

ROWS_A_GROUP = 1_000
CHARACTERS_A_GROUP = 1 << 22
AT_ONCE = 10_000  # texts to look up at once
SHOWN = 20  # ids in the manifest


def read_dump(dump: Path, folder: Path, settings: ReadDump, workers: int = 1) -> dict[str, Any]:
    """Write KILT's knowledge source as a knowledge base in parts; return its counts.

    A part has the entities whose lines begin within ``part_bytes`` of the dump. Memory holds a row
    group, and 16 bytes for each entity. The bytes written are the same with any number of workers.
    If the bad lines, the ids or the number of entities are not as the settings allow, there is no
    manifest.
    """
    if not dump.is_file():
        raise InputError(
            f"{dump}: no such file. `muver download --files kilt --out FOLDER` fetches it."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for old in (folder / MANIFEST, *folder.glob("part-*.*")):
        old.unlink(missing_ok=True)
    reading = _Reading(dump, settings)
    parse = partial(read_page, paragraphs=settings.paragraphs)
    by_part = groupby(
        parsed_lines(dump, parse, workers), key=lambda one: one[0].byte // settings.part_bytes
    )
    parts = []
    for number, (_, lines) in enumerate(by_part):
        path, first = folder / part_name(number), len(reading.ids)
        with (
            atomic_path(path) as temporary,
            pq.ParquetWriter(temporary, SCHEMA, compression="zstd") as writer,
        ):
            pages = reading.pages(lines)
            for group in row_groups(pages, _characters, ROWS_A_GROUP, CHARACTERS_A_GROUP):
                columns = list(zip(*group, strict=True))[: len(SCHEMA)]
                writer.write_table(table_of(SCHEMA, columns), row_group_size=len(group))
        entities = len(reading.ids) - first
        own = {"file": path.name, "first": first, "entities": entities}
        parts.append({**own, "fingerprint": sha256_of(path)})
    counts = reading.finish()
    ids = np.frombuffer(reading.ids, np.int64)
    by_id = np.argsort(ids, kind="stable")
    duplicates = _duplicates(dump, ids, by_id, settings)
    hashes = np.frombuffer(reading.hashes, np.uint64)
    by_title = np.argsort(hashes, kind="stable")
    save_matrix(folder / "ids.npy", ids)
    save_matrix(folder / "by_id.npy", by_id)
    save_matrix(folder / "by_title.npy", np.stack([hashes[by_title], by_title.astype(np.uint64)]))
    write_manifest(
        folder / MANIFEST,
        "kb",
        settings.as_dict(),
        {},
        fingerprint=short_hash([part["fingerprint"] for part in parts], 64),
        identified_as=identify(Sizes(entities={WIKIPEDIA: len(ids)})),
        source={"file": dump.name, "bytes": dump.stat().st_size},
        **counts,
        duplicates=duplicates,
        parts=parts,
    )
    logger.info(
        "%d entities in %d parts, %d without paragraphs, %d whose text does not begin with the "
        "title; %d bad lines, %d ids occur again",
        len(ids), len(parts), counts["without_paragraphs"], counts["first_is_not_title"],
        counts["lines"] - len(ids), duplicates["count"],
    )  # fmt: skip
    return {**counts, "duplicates": duplicates}


class _Reading:
    """What is counted while a dump is read."""

    def __init__(self, dump: Path, settings: ReadDump):
        self.dump, self.settings = dump, settings
        self.ids, self.hashes = array("q"), array("Q")
        self.lines = self.without_paragraphs = self.first_is_not_title = 0
        self.bad = Notes()

    def pages(self, lines: Iterable[tuple[Place, Page | LeftOut]]) -> Iterator[Page]:
        """The pages of some lines, which are counted."""
        for _, page in lines:
            self.lines += 1
            if isinstance(page, LeftOut):
                self.bad.add(page.why, page.place)
                check_bad(self.dump, self.bad, self.lines, self.settings)
                continue
            self.ids.append(int(page.id))
            self.hashes.append(title_hash(page.title))
            self.without_paragraphs += not page.paragraphs
            self.first_is_not_title += not page.begins_with_title
            yield page

    def finish(self) -> dict[str, Any]:
        """The counts, if there are as many entities as there should be."""
        if not self.ids:
            raise InputError(f"{self.dump}: holds no page.")
        sizes = Sizes(entities={WIKIPEDIA: len(self.ids)})
        check_published(self.dump, sizes, self.settings.expected)
        return {
            "lines": self.lines,
            "entities": len(self.ids),
            "without_paragraphs": self.without_paragraphs,
            "first_is_not_title": self.first_is_not_title,
            "bad": self.bad.as_dict(),
        }


def _characters(page: Page) -> int:
    return sum(map(len, page.paragraphs))


def _duplicates(
    dump: Path, ids: NDArray[np.int64], by_id: NDArray[np.int64], settings: ReadDump
) -> dict[str, Any]:
    ordered = ids[by_id]
    again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1  # places in the sorted order
    if len(again) and settings.duplicates == "refuse":
        listed = "; ".join(
            f"{ordered[at]} as entities {by_id[at - 1]} and {by_id[at]}" for at in again[:5]
        )
        raise InputError(
            f"{dump}: {len(again)} lines have the wikipedia_id of a line before ({listed}). "
            "Was the file joined from two downloads? Fetch it anew, or keep the lines and look up "
            'the first of each id with --settings \'{"duplicates": "first"}\'.'
        )
    return {"count": len(again), "first_ids": ordered[again[:SHOWN]].tolist()}


def write_texts(source: Path, kb: Path, folder: Path, settings: ReadTexts) -> dict[str, Any]:
    """Write a text of BLINK's ``entity.jsonl`` for each entity of a knowledge base, by its id.

    The file, whose lines may be in any order, is read twice: to find where each entity's line
    begins, then part by part of the base. Memory holds eight bytes an entity and the texts of one
    part. If there are too many bad lines, repeated ids that the settings refuse, no known id, or
    another number of lines than expected, nothing is written.

    Returns
    -------
    The counts: ``lines``; ``found``: entities with a line; ``empty``: those whose text is empty;
    ``missing``: entities without a line; ``unknown``: lines with an id that the base lacks;
    ``again``: lines that repeat an id. Each of the last four has a ``count`` and ``first_ids``.
    """
    if source.suffix in COMPRESSIONS:
        raise InputError(f"{source}: compressed, but is read in many places. Unpack it first.")
    base = KnowledgeBase(kb)
    places, counts = _find_lines(source, base, settings)
    (folder / MANIFEST).unlink(missing_ok=True)  # an old manifest must not stand beside new parts
    parts = []
    for part in base.manifest["parts"]:
        path = folder / part["file"]
        _write_part(path, source, places[part["first"] : part["first"] + part["entities"]])
        parts.append({"file": path.name, "first": part["first"], "fingerprint": sha256_of(path)})
    write_manifest(
        folder / MANIFEST,
        "kb-texts",
        settings.as_dict(),
        {"kb": base.manifest["fingerprint"], "source": sha256_of(source)},
        fingerprint=short_hash([part["fingerprint"] for part in parts], 64),
        source={"file": source.name, "bytes": source.stat().st_size},
        **counts,
        parts=parts,
    )
    logger.info(
        "%d of %d entities have a line in %s, %d of them with an empty text; %d have none and "
        "their title alone; %d lines have an id of no entity, %d repeat an id",
        counts["found"], len(base), source.name, counts["empty"]["count"],
        counts["missing"]["count"], counts["unknown"]["count"], counts["again"]["count"],
    )  # fmt: skip
    return counts


def _find_lines(
    source: Path, base: KnowledgeBase, settings: ReadTexts
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The first byte of each entity's line, (entities,) int64, -1 if it has none; and counts."""
    places = np.full(len(base), NONE, np.int64)
    found = {name: array("q") for name in ("empty", "unknown", "again")}
    lines, bad = 0, Notes()
    parsed = parsed_lines(source, read_entity)
    while batch := list(islice(parsed, AT_ONCE)):
        for _, one in batch:
            lines += 1
            if isinstance(one, LeftOut):
                bad.add(one.why, one.place)
                check_bad(source, bad, lines, settings)
        texts = [(place, one) for place, one in batch if isinstance(one, Entity)]
        numbers = base.by_id([int(one.id) for _, one in texts]).tolist()
        for (place, one), number in zip(texts, numbers, strict=True):
            if number == NONE:
                found["unknown"].append(int(one.id))
            elif places[number] != NONE:
                found["again"].append(int(one.id))
            else:
                places[number] = place.byte
                if not one.description:
                    found["empty"].append(int(one.id))
    entities = lines - bad.counts.total()
    if len(found["unknown"]) == entities:
        raise InputError(
            f"{source}: none of its {entities} texts has the id of an entity in {base.folder}. Is "
            "it of the same Wikipedia?"
        )
    if found["again"] and settings.duplicates == "refuse":
        raise InputError(
            f"{source}: {len(found['again'])} lines have the id of a line before "
            f"({', '.join(map(str, found['again'][:5]))}). Was the file joined from two "
            "downloads? Fetch it anew, or take the first of each id with --settings "
            '\'{"duplicates": "first"}\'.'
        )
    check_published(source, Sizes(entities={WIKIPEDIA: entities}), settings.expected)
    missing = array("q", base.ids[places == NONE])
    counts = {
        name: {"count": len(ids), "first_ids": ids[:SHOWN].tolist()}
        for name, ids in {**found, "missing": missing}.items()
    }
    return places, {
        "lines": lines, "found": len(base) - len(missing), **counts, "bad": bad.as_dict()
    }  # fmt: skip


def _write_part(path: Path, source: Path, places: NDArray[np.int64]) -> None:
    texts: list[list[str]] = [[] for _ in places]
    there = np.flatnonzero(places != NONE)
    with open(source, "rb") as file:
        for row in there[np.argsort(places[there])].tolist():  # forwards through the file
            file.seek(int(places[row]))
            text = read_entity(file.readline()).description
            texts[row] = [text] if text else []
    with atomic_path(path) as temporary:
        pq.write_table(pa.table([pa.array(texts, TEXTS.field(0).type)], TEXTS), temporary,
                       compression="zstd")  # fmt: skip
