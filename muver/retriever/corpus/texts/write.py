"""Put the texts of BLINK's ``entity.jsonl`` in the order of a knowledge base's entities."""

from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of, short_hash, write_manifest
from muver.io.progress import Progress, logger
from muver.retriever.corpus.jsonl import line_parser
from muver.retriever.corpus.kilt.finish import check_number
from muver.retriever.corpus.kilt.lines import ParsedLines
from muver.retriever.corpus.kilt.lookup import NONE, KnowledgeBase
from muver.retriever.corpus.kilt.make import MEBIBYTE
from muver.retriever.corpus.kilt.pages import whole_id
from muver.retriever.corpus.settings import ReadTexts
from muver.retriever.corpus.texts.read import MANIFEST, SCHEMA

TEXTS = "texts of entities (JSON lines with idx and text, as in BLINK's entity.jsonl)"
AT_ONCE = 10_000  # lines to look up at once
SHOWN = 20  # ids in the manifest


class _Line(Struct):
    idx: str | int
    text: str


_parse = line_parser(_Line)


class EntityText(NamedTuple):
    """The id of a Wikipedia page and its text, stripped and maybe empty."""

    id: int
    text: str


def read_line(line: bytes) -> EntityText:
    """Parse a line of BLINK's file, ignoring ``title``, ``entity`` and other keys.

    ``idx`` is the page's address, which ends with its id, or the id itself. Raises BadLine if the
    line is not a JSON object with an id of digits and a text.

    >>> read_line(b'{"idx": "https://en.wikipedia.org/wiki?curid=12", "text": " Anarchism is"}')
    EntityText(id=12, text='Anarchism is')
    """
    parsed = _parse(line)
    identity = str(parsed.idx).rpartition("curid=")[2].strip()
    return EntityText(int(whole_id(identity, "idx")), parsed.text.strip())


def write_texts(
    source: str | Path, kb: str | Path, folder: str | Path, settings: ReadTexts
) -> dict[str, Any]:
    """Write a text for each entity of a knowledge base, found by its Wikipedia id.

    The file, whose lines may be in any order, is read twice: to find where each entity's line
    begins, then part by part of the base. Memory holds eight bytes an entity and the texts of one
    part. If there are too many bad lines, repeated ids that the settings refuse, no known id, or
    another number of lines than expected, nothing is written.

    Parameters
    ----------
    kb
        Folder of the knowledge base, which is not changed.
    folder
        Receives ``manifest.json`` and a Parquet file for each part of the base, with the list
        ``paragraphs`` of each entity in order: the text alone, or nothing if there is none.

    Returns
    -------
    The counts: ``lines``; ``found``: entities with a line; ``empty``: those whose text is empty;
    ``missing``: entities without a line; ``unknown``: lines with an id that the base lacks;
    ``again``: lines that repeat an id. Each of the last four has a ``count`` and ``first_ids``.
    """
    source, folder, base = Path(source), Path(folder), KnowledgeBase(kb)
    if not source.is_file():
        raise InputError(
            f"{source}: no such file. `muver stage download --files blink_entities --out FOLDER` "
            "fetches it."
        )
    places, counts = _find_lines(source, base, settings)
    (folder / MANIFEST).unlink(missing_ok=True)  # an old manifest must not stand beside new parts
    parts = []
    for part in base.manifest["parts"]:
        path = folder / part["file"]
        own = places[part["first"] : part["first"] + part["entities"]]
        _write_part(path, source, own, settings.line_bytes)
        of_kb = {"kb": part["fingerprint"], "entities": part["entities"], "first": part["first"]}
        parts.append({"file": path.name, **of_kb, "fingerprint": sha256_of(path)})
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
        "their title alone; %d lines have an id of no entity, %d repeat an id, %d are bad",
        counts["found"], len(base), source.name, counts["empty"]["count"],
        counts["missing"]["count"], counts["unknown"]["count"], counts["again"]["count"],
        counts["bad"]["count"],
    )  # fmt: skip
    return counts


def _find_lines(
    source: Path, base: KnowledgeBase, settings: ReadTexts
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The first byte of each entity's line, (entities,) int64, -1 if it has none; and counts."""
    size = source.stat().st_size
    lines = ParsedLines(source, 0, size, read_line, TEXTS, settings)
    places = np.full(len(base), NONE, np.int64)
    counts: dict[str, int] = {"empty": 0, "unknown": 0, "again": 0}
    firsts: dict[str, list[int]] = {name: [] for name in counts}
    repeated: list[str] = []

    def note(name: str, identity: int) -> None:
        counts[name] += 1
        if len(firsts[name]) < SHOWN:
            firsts[name].append(identity)

    progress = Progress(f"reading {source.name}", size // MEBIBYTE, "MB")
    entities = 0
    parsed = iter(lines)
    while batch := list(islice(parsed, AT_ONCE)):
        entities += len(batch)
        numbers = base.by_id([one.id for _, one in batch]).tolist()
        for (place, one), number in zip(batch, numbers, strict=True):
            if number == NONE:
                note("unknown", one.id)
            elif places[number] != NONE:
                note("again", one.id)
                if len(repeated) < 5:
                    repeated.append(f"{one.id} at the bytes {places[number]} and {place}")
            else:
                places[number] = place
                if not one.text:
                    note("empty", one.id)
        progress.advance(batch[-1][0] // MEBIBYTE - progress.done, f"{entities} texts")
    progress.finish()
    if counts["unknown"] == entities:
        raise InputError(
            f"{source}: none of its {entities} texts has the id of an entity in {base.folder}. Is "
            "it of the same Wikipedia?"
        )
    if counts["again"] and settings.duplicates == "refuse":
        raise InputError(
            f"{source}: {counts['again']} lines have the id of a line before "
            f"({'; '.join(repeated)}). Was the file joined from two downloads? Fetch it anew, or "
            'take the first of each id with --settings \'{"duplicates": "first"}\'.'
        )
    check_number(source, entities, settings.expected)
    missing = np.flatnonzero(places == NONE)
    ids = {name: {"count": counts[name], "first_ids": firsts[name]} for name in counts}
    return places, {
        "lines": lines.lines,
        "found": len(base) - len(missing),
        "empty": ids["empty"],
        "missing": {"count": len(missing), "first_ids": base.ids[missing[:SHOWN]].tolist()},
        "unknown": ids["unknown"],
        "again": ids["again"],
        "bad": lines.bad,
        "unfinished": lines.unfinished,
    }


def _write_part(path: Path, source: Path, places: NDArray[np.int64], longest: int) -> None:
    texts: list[list[str]] = [[] for _ in places]
    there = np.flatnonzero(places != NONE)
    with open(source, "rb") as file:
        for row in there[np.argsort(places[there])].tolist():  # forwards through the file
            file.seek(int(places[row]))
            text = read_line(file.readline(longest)).text
            texts[row] = [text] if text else []
    with atomic_path(path) as temporary:
        pq.write_table(pa.table([pa.array(texts, SCHEMA.field(0).type)], SCHEMA), temporary,
                       compression="zstd")  # fmt: skip
