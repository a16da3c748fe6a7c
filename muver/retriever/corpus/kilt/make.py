"""Make the parts of a knowledge base from the lines of the dump, in several processes."""

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of, write_manifest
from muver.io.parquet import table_of
from muver.io.progress import Progress, logger
from muver.retriever.corpus.kilt.lines import ParsedLines
from muver.retriever.corpus.kilt.pages import Page, read_page
from muver.retriever.corpus.kilt.parts import (
    SCHEMA,
    Part,
    content_hash,
    dump_size,
    fitting_manifest,
    part_files,
    plan_parts,
    probe,
    remove_beyond,
)
from muver.retriever.corpus.settings import ReadDump

MEBIBYTE = 1 << 20
ROWS_A_GROUP = 1_000
CHARACTERS_A_GROUP = 1 << 22
PAGES = "pages (JSON lines with wikipedia_id, wikipedia_title and text)"


def read_part(
    dump: str | Path, part: Part, folder: str | Path, settings: ReadDump
) -> dict[str, Any]:
    """Read one part of the dump; write ``part-N.parquet``, then ``part-N.json``; return its counts.

    Memory holds one line and one row group, whatever the part's size. If there are more bad lines
    than allowed, no part is written.
    """
    dump, folder = Path(dump), Path(folder)
    parquet, manifest = part_files(folder, part)
    # A new part must never lie beside its old manifest, nor in a base that passes for finished.
    for old in (folder / "manifest.json", manifest):
        old.unlink(missing_ok=True)
    size = dump_size(dump)
    parse = partial(read_page, paragraphs=settings.paragraphs)
    lines = ParsedLines(dump, part.start, part.stop, parse, PAGES, settings)
    counts: dict[str, Any] = {
        "lines": 0, "entities": 0, "without_paragraphs": 0, "first_is_not_title": 0
    }  # fmt: skip
    with (
        atomic_path(parquet) as temporary,
        pq.ParquetWriter(temporary, SCHEMA, compression="zstd") as writer,
    ):
        for group in _groups(page for _, page in lines):
            counts["entities"] += len(group)
            counts["without_paragraphs"] += sum(not page.paragraphs for page in group)
            counts["first_is_not_title"] += sum(not page.begins_with_title for page in group)
            columns = list(zip(*group, strict=True))[: len(SCHEMA)]
            writer.write_table(table_of(SCHEMA, columns), row_group_size=len(group))
    counts["lines"] = lines.lines
    counts["bad"], counts["unfinished"] = lines.bad, lines.unfinished
    counts["unended_at"] = size if lines.unended else None
    write_manifest(
        manifest,
        "kb part",
        {key: getattr(settings, key) for key in ("paragraphs", "part_bytes", "line_bytes")},
        {},
        settings_sha256=content_hash(settings),
        dump_sha256=probe(dump, part),
        range=[part.start, part.stop],
        **counts,
        parquet_bytes=parquet.stat().st_size,
        fingerprint=sha256_of(parquet),
    )
    return counts


def make_part(
    dump: str | Path, folder: str | Path, number: int, settings: ReadDump
) -> dict[str, Any]:
    """Make part ``number`` of the plan, even if it is there already."""
    parts = plan_parts(dump, settings.part_bytes)
    if not 0 <= number < len(parts):
        raise InputError(
            f"--part {number}: {dump} has the parts 0 to {len(parts) - 1} "
            f"(of {settings.part_bytes} bytes each)."
        )
    counts = read_part(dump, parts[number], folder, settings)
    _log(parts[number], counts)
    return counts


def make_missing(dump: str | Path, folder: str | Path, settings: ReadDump, workers: int = 1) -> int:
    """Make every part that is missing or does not fit; return how many were made.

    The bytes are the same with any number of workers. After an interruption or an error, finished
    parts are kept and a second call makes the rest; after the dump has grown, it makes the parts
    that changed.
    """
    dump, folder = Path(dump), Path(folder)
    if workers < 1:
        raise InputError(f"--workers {workers}: expected at least 1.")
    parts = plan_parts(dump, settings.part_bytes)
    for name in remove_beyond(folder, len(parts)):
        logger.info("removed %s, which is beyond the end of %s", name, dump.name)
    missing = [part for part in parts if fitting_manifest(dump, folder, part, settings) is None]
    if len(missing) < len(parts):
        logger.info("%d of %d parts are there", len(parts) - len(missing), len(parts))
    total = sum(part.stop - part.start for part in missing) // MEBIBYTE
    progress = Progress("reading", total, "MB")
    done = entities = 0
    for part, counts in _read_parts(dump, missing, folder, settings, workers):
        _log(part, counts)
        done += part.stop - part.start
        entities += counts["entities"]
        progress.advance(done // MEBIBYTE - progress.done, f"{entities} entities")
    progress.finish()
    return len(missing)


def _groups(pages: Iterator[Page]) -> Iterator[list[Page]]:
    """Pages in row groups, limited in rows and in characters."""
    group: list[Page] = []
    characters = 0
    for page in pages:
        group.append(page)
        characters += sum(map(len, page.paragraphs))
        if len(group) == ROWS_A_GROUP or characters >= CHARACTERS_A_GROUP:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _log(part: Part, counts: Mapping[str, Any]) -> None:
    bad, cut = counts["bad"], counts["unfinished"]
    if bad["count"]:
        first = bad["first"][0]
        logger.info(
            "%s: %d of %d lines are not pages; the first, at byte %d: %s",
            part.name, bad["count"], counts["lines"], first["offset"], first["reason"],
        )  # fmt: skip
    if cut:
        logger.info(
            "%s: the dump ends within a line: %d bytes from byte %d on are left out",
            part.name, cut["bytes"], cut["offset"],
        )  # fmt: skip
    if counts["first_is_not_title"]:
        logger.info(
            "%s: on %d pages the first paragraph is not the title; it is left out all the same",
            part.name, counts["first_is_not_title"],
        )  # fmt: skip


def _read_parts(
    dump: Path, parts: Sequence[Part], folder: Path, settings: ReadDump, workers: int
) -> Iterator[tuple[Part, dict[str, Any]]]:
    if workers == 1 or len(parts) < 2:
        for part in parts:
            yield part, read_part(dump, part, folder, settings)
        return
    # "spawn": the same on every system, and safe with Arrow's threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(parts)), mp_context=context) as pool:
        jobs = {pool.submit(read_part, dump, part, folder, settings): part for part in parts}
        try:
            for job in as_completed(jobs):
                yield jobs[job], job.result()
        except BrokenProcessPool as error:
            raise InputError(
                f"{folder}: a process that read {dump.name} was killed, perhaps for want of "
                "memory. The parts made are kept: run the same command again, with fewer --workers."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
