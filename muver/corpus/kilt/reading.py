"""Making one part: its lines read one by one, its entities written as they come."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muver.corpus.kilt.pages import Page, read_page
from muver.corpus.kilt.parsing import Form, ParsedLines
from muver.corpus.kilt.parts import SCHEMA, Part, dump_size, part_files, probe
from muver.corpus.kilt.settings import content_hash
from muver.io.files import atomic_path, sha256_of, write_manifest

ROWS_A_GROUP = 1_000
CHARACTERS_A_GROUP = 1 << 22
PAGES = Form("pages", "JSON lines with wikipedia_id, wikipedia_title and text")


def read_part(
    dump: str | Path, part: Part, folder: str | Path, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Read the lines of one part of the dump; write ``part-N.parquet``, then ``part-N.json``.

    In memory are one line and one row group, whatever the part's size. The last line of a dump
    that was cut off is left out and noted as ``unfinished``; it is not one of the bad lines.

    Parameters
    ----------
    settings
        As :func:`muver.corpus.kilt.settings.check_settings` returns them.

    Returns
    -------
    The manifest.

    Raises
    ------
    InputError
        Above the limit of bad lines, with the first ones; no part is written then.
    """
    dump, folder = Path(dump), Path(folder)
    parquet, manifest = part_files(folder, part)
    # A new part with the old manifest, or a finished base with another part, must never be.
    for old in (folder / "manifest.json", manifest):
        old.unlink(missing_ok=True)
    reader = _Reader(dump, part, settings)
    with (
        atomic_path(parquet) as temporary,
        pq.ParquetWriter(temporary, SCHEMA, compression="zstd") as writer,
    ):
        for group in _groups(reader.pages()):
            writer.write_table(_table(group), row_group_size=len(group))
    write_manifest(
        manifest,
        "kb part",
        {key: settings[key] for key in ("paragraphs", "part_bytes", "line_bytes")},
        {},
        settings_sha256=content_hash(settings),
        dump_sha256=probe(dump, part),
        range=[part.start, part.stop],
        **reader.counts(),
        parquet_bytes=parquet.stat().st_size,
        fingerprint=sha256_of(parquet),
    )
    return reader.counts()


class _Reader:
    """The pages of a part, and the count of what was met on the way."""

    def __init__(self, dump: Path, part: Part, settings: Mapping[str, Any]):
        parse = partial(read_page, paragraphs=settings["paragraphs"])
        self._size = dump_size(dump)
        self._lines = ParsedLines(dump, part.start, part.stop, parse, PAGES, settings)
        self._entities = self._without_paragraphs = self._other_first = 0

    def pages(self) -> Iterator[Page]:
        """The pages that parse."""
        for _, page in self._lines:
            self._entities += 1
            self._without_paragraphs += not page.paragraphs
            self._other_first += not page.begins_with_title
            yield page

    def counts(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "lines": self._lines.lines,
            "entities": self._entities,
            "without_paragraphs": self._without_paragraphs,
            "first_is_not_title": self._other_first,
            "bad": self._lines.bad,
            "unfinished": self._lines.unfinished,
            "unended_at": self._size if self._lines.unended else None,
        }


def _groups(pages: Iterator[Page]) -> Iterator[list[Page]]:
    """Pages in row groups, bounded in rows and characters."""
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


def _table(group: list[Page]) -> pa.Table:
    columns = [
        pa.array([page[position] for page in group], field.type)
        for position, field in enumerate(SCHEMA)
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)
