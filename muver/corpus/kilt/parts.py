"""The parts of a knowledge base: ranges of the dump's bytes, and whether one is made already."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from muver.corpus.kilt.settings import content_hash
from muver.io.errors import InputError

SCHEMA = pa.schema(
    [("id", pa.string()), ("title", pa.string()), ("paragraphs", pa.list_(pa.string()))]
)
PROBE = 4096  # bytes at either end of a range that tell one dump from another


class Part(NamedTuple):
    """The entities whose lines begin at a byte in ``start <= byte < stop``."""

    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """``part-00000``, the stem of its files."""
        return f"part-{self.number:05d}"


def plan_parts(path: str | Path, bytes_a_part: int) -> list[Part]:
    """Cut a file into ranges of so many bytes, the last one shorter; lines need not fit them.

    Raises
    ------
    InputError
        If there is no such file or it is empty.
    """
    size = dump_size(path)
    if size == 0:
        raise InputError(f"{path}: empty; expected KILT's knowledge source, one page a line.")
    starts = range(0, size, bytes_a_part)
    return [
        Part(number, start, min(start + bytes_a_part, size)) for number, start in enumerate(starts)
    ]


def dump_size(path: str | Path) -> int:
    """Bytes of the dump."""
    path = Path(path)
    if not path.is_file():
        raise InputError(
            f"{path}: no such file. `muver download --files kilt --out FOLDER` fetches it."
        )
    return path.stat().st_size


def part_files(folder: Path, part: Part) -> tuple[Path, Path]:
    """A part's Parquet file and manifest."""
    return folder / f"{part.name}.parquet", folder / f"{part.name}.json"


def fitting_manifest(
    dump: Path, folder: Path, part: Part, settings: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The manifest of a part that is made from this dump with these settings, else None.

    A part whose last line had no end when it was read (the dump was still growing) fits only as
    long as the dump has the same size. Of the dump, both ends of the range are compared.
    """
    parquet, manifest_file = part_files(folder, part)
    try:
        manifest = json.loads(manifest_file.read_text(encoding="utf-8"))
        fits = (
            manifest["range"] == [part.start, part.stop]
            and manifest["settings_sha256"] == content_hash(settings)
            and manifest["dump_sha256"] == probe(dump, part)
            and manifest["unended_at"] in (None, dump_size(dump))
            and manifest["parquet_bytes"] == parquet.stat().st_size
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return manifest if fits else None


def probe(dump: Path, part: Part) -> str:
    """SHA-256 of the first and last bytes of a range of the dump."""
    with open(dump, "rb") as file:
        file.seek(part.start)
        first = file.read(min(PROBE, part.stop - part.start))
        file.seek(max(part.start, part.stop - PROBE))
        return hashlib.sha256(first + file.read(PROBE)[: part.stop - part.start]).hexdigest()


def strangers(folder: Path, parts: int) -> list[Path]:
    """Files of parts beyond the last one: of a dump that was longer or cut otherwise."""
    return sorted(
        path
        for path in folder.glob("part-[0-9]*.*")
        if path.suffix in (".parquet", ".json")
        and path.stem[5:].isdigit()
        and int(path.stem[5:]) >= parts
    )
