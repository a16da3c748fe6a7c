"""BLINK's ``entity.jsonl`` to texts in the order of a knowledge base's entities, part by part."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from muver.corpus.kilt.finish import check_number
from muver.corpus.kilt.lookup import NONE, KnowledgeBase
from muver.corpus.kilt.parsing import Form, ParsedLines
from muver.corpus.kilt.settings import DEFAULTS as OF_A_BASE
from muver.corpus.kilt.settings import check_settings
from muver.corpus.texts.line import EntityText, read_line
from muver.corpus.texts.read import MANIFEST, SCHEMA
from muver.io.checking import with_defaults
from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of, short_hash, write_manifest
from muver.io.progress import Progress, logger

# As of the dump: what is refused. "duplicates" is of ids that the base has.
KEYS = ("line_bytes", "bad_lines", "bad_share", "duplicates", "expected")
LINES = Form("texts of entities", "JSON lines with idx and text, as BLINK's entity.jsonl has them")
AT_ONCE = 10_000  # lines that are looked up together
SHOWN = 20  # ids in the manifest
MEBIBYTE = 1 << 20


def write_texts(
    source: str | Path, kb: str | Path, folder: str | Path, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Write a text for each entity of a knowledge base, found by its Wikipedia id.

    The file is read twice: to find where the line of each entity begins, then part by part of the
    base. In memory are eight bytes an entity and the texts of one part.

    Parameters
    ----------
    source
        BLINK's ``entity.jsonl``, in any order.
    kb
        Folder of the knowledge base; the catalogue of entities stays its own.
    folder
        Receives a Parquet file for each part of the base, with the list ``paragraphs`` of each
        entity in its order, which holds the text alone or, where there is none, nothing; and
        ``manifest.json``.
    given
        Settings (`KEYS`, with the defaults of a reading of KILT).

    Returns
    -------
    The counts: ``lines``; ``found``: entities with a line; ``empty``: those whose text is empty;
    ``missing``: entities without a line; ``unknown``: lines whose id the base has not; ``again``:
    lines with the id of a line before. Each of the last four has a ``count`` and ``first_ids``.

    Raises
    ------
    InputError
        Above the limit of bad lines, if an id of the base occurs twice and the settings do not
        allow it, if no id is the base's, or if the number of lines is not the expected one.
        Nothing is written then.
    """
    known = with_defaults(given, {key: OF_A_BASE[key] for key in KEYS})
    settings = {key: check_settings(known)[key] for key in KEYS}
    source, folder, base = Path(source), Path(folder), KnowledgeBase(kb)
    if not source.is_file():
        raise InputError(
            f"{source}: no such file. `muver download --files blink_entities --out FOLDER` fetches "
            "it."
        )
    found = _find(source, base, settings)
    (folder / MANIFEST).unlink(missing_ok=True)  # parts of two files must never be one
    parts = []
    for part in base.manifest["parts"]:
        path = folder / part["file"]
        own = found.places[part["first"] : part["first"] + part["entities"]]
        _write_part(path, source, own, settings["line_bytes"])
        of_kb = {"kb": part["fingerprint"], "entities": part["entities"], "first": part["first"]}
        parts.append({"file": path.name, **of_kb, "fingerprint": sha256_of(path)})
    counts = found.counts(base.ids)
    write_manifest(
        folder / MANIFEST,
        "kb-texts",
        settings,
        {"kb": base.manifest["fingerprint"], "source": sha256_of(source)},
        fingerprint=short_hash([part["fingerprint"] for part in parts], 64),
        source={"file": source.name, "bytes": source.stat().st_size},
        **counts,
        parts=parts,
    )
    logger.info(
        "%d of %d entities have a line in %s, of %d its text is empty; %d have none and are left "
        "with their title; %d lines are of no entity, %d of an id again, %d are bad",
        counts["found"], len(base), source.name, counts["empty"]["count"],
        counts["missing"]["count"], counts["unknown"]["count"], counts["again"]["count"],
        counts["bad"]["count"],
    )  # fmt: skip
    return counts


class _Ids:
    """A count of ids, and the first of them with the bytes at which their lines begin."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[tuple[int, ...]] = []

    def add(self, identity: int, *places: int) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self.first.append((identity, *places))

    def told(self) -> dict[str, Any]:
        return {"count": self.count, "first_ids": [identity for identity, *_ in self.first]}


class _Found:
    """Where the entities' lines begin, (entities,) int64, -1 for those without; what was met."""

    def __init__(self, entities: int, lines: ParsedLines[EntityText]):
        self.places = np.full(entities, NONE, np.int64)
        self.lines = lines
        self.empty, self.unknown, self.again = _Ids(), _Ids(), _Ids()

    def counts(self, ids: NDArray[np.int64]) -> dict[str, Any]:
        """For the manifest; ``ids`` are the base's."""
        missing = np.flatnonzero(self.places == NONE)
        return {
            "lines": self.lines.lines,
            "found": len(ids) - len(missing),
            "empty": self.empty.told(),
            "missing": {"count": len(missing), "first_ids": ids[missing[:SHOWN]].tolist()},
            "unknown": self.unknown.told(),
            "again": self.again.told(),
            "bad": self.lines.bad,
            "unfinished": self.lines.unfinished,
        }


def _find(source: Path, base: KnowledgeBase, settings: Mapping[str, Any]) -> _Found:
    size = source.stat().st_size
    lines = ParsedLines(source, 0, size, read_line, LINES, settings)
    found = _Found(len(base), lines)
    progress = Progress(f"reading {source.name}", size // MEBIBYTE, "MB")
    entities = 0
    for batch in _batches(lines):
        entities += len(batch)
        numbers = base.by_id([one.id for _, one in batch]).tolist()
        for (place, one), number in zip(batch, numbers, strict=True):
            if number == NONE:
                found.unknown.add(one.id)
            elif found.places[number] != NONE:
                found.again.add(one.id, int(found.places[number]), place)
            else:
                found.places[number] = place
                if not one.text:
                    found.empty.add(one.id)
        progress.advance(batch[-1][0] // MEBIBYTE - progress.done, f"{entities} texts")
    progress.finish()
    if found.unknown.count == entities:
        raise InputError(
            f"{source}: none of its {entities} texts has the id of an entity in {base.folder}. Is "
            "it of the same Wikipedia?"
        )
    if found.again.count and settings["duplicates"] == "refuse":
        raise _again(source, found.again)
    check_number(source, entities, settings["expected"])
    return found


def _batches(lines: ParsedLines[EntityText]) -> Iterator[list[tuple[int, EntityText]]]:
    left = iter(lines)
    while batch := list(islice(left, AT_ONCE)):
        yield batch


def _again(source: Path, again: _Ids) -> InputError:
    listed = "; ".join(
        f"{identity} at the bytes {first} and {second}"
        for identity, first, second in again.first[:5]
    )
    return InputError(
        f"{source}: {again.count} lines have the id of a line before ({listed}). Was the file "
        "joined from two downloads? Fetch it anew, or take the first of each id with --settings "
        '\'{"duplicates": "first"}\'.'
    )


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
