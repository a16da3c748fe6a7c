"""Making one part: its lines read one by one, its entities written as they come."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muver.corpus.kilt.lines import lines_between
from muver.corpus.kilt.pages import BadLine, Page, read_page
from muver.corpus.kilt.parts import SCHEMA, Part, dump_size, part_files, probe
from muver.corpus.kilt.settings import bad_allowed, content_hash
from muver.errors import InputError
from muver.files import atomic_path, sha256_of, write_manifest

ROWS_A_GROUP = 1_000
CHARACTERS_A_GROUP = 1 << 22
SHOWN = 10  # bad lines in a manifest


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
        self._dump, self._part, self._settings = dump, part, settings
        self._lines = self._entities = self._bad = 0
        self._without_paragraphs = self._other_first = 0
        self._first_bad: list[dict[str, Any]] = []
        self._unfinished: dict[str, int] | None = None
        self._unended_at: int | None = None

    def pages(self) -> Iterator[Page]:
        """The pages that parse."""
        settings = self._settings
        size = dump_size(self._dump)
        for line in lines_between(
            self._dump, self._part.start, self._part.stop, settings["line_bytes"]
        ):
            self._lines += 1
            if not line.ended:
                self._unended_at = size
            try:
                if line.text is None:
                    raise BadLine(f"longer than {settings['line_bytes']} bytes")
                page = read_page(line.text, settings["paragraphs"])
            except BadLine as error:
                if line.ended:
                    self._refuse(line.offset, str(error))
                else:
                    self._unfinished = {"offset": line.offset, "bytes": len(line.text or b"")}
                continue
            self._entities += 1
            self._without_paragraphs += not page.paragraphs
            self._other_first += not page.begins_with_title
            yield page

    def counts(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "lines": self._lines,
            "entities": self._entities,
            "without_paragraphs": self._without_paragraphs,
            "first_is_not_title": self._other_first,
            "bad": {"count": self._bad, "first": self._first_bad},
            "unfinished": self._unfinished,
            "unended_at": self._unended_at,
        }

    def _refuse(self, offset: int, reason: str) -> None:
        self._bad += 1
        if len(self._first_bad) < SHOWN:
            self._first_bad.append({"offset": offset, "reason": reason})
        if self._bad > bad_allowed(self._lines, self._settings):
            raise too_many_bad(self._dump, self._bad, self._lines, self._first_bad)


def too_many_bad(dump: Path, bad: int, lines: int, first: list[dict[str, Any]]) -> InputError:
    """The error for more bad lines than the settings allow."""
    listed = "; ".join(f"at byte {one['offset']}: {one['reason']}" for one in first[:5])
    return InputError(
        f"{dump}: {bad} of the first {lines} lines read are no pages: {listed}. Expected JSON "
        "lines with wikipedia_id, wikipedia_title and text. Fetch the file anew, or allow more "
        'with --settings \'{"bad_lines": ..., "bad_share": ...}\'.'
    )


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
