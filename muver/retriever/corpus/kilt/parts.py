"""The parts of a knowledge base: planned as ranges of the dump's bytes, opened once made."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.io.files import read_json, short_hash
from muver.retriever.corpus.settings import ReadDump

SCHEMA = pa.schema(
    [("id", pa.string()), ("title", pa.string()), ("paragraphs", pa.list_(pa.string()))]
)
FORM = 1  # version of the parts' files: a new number makes all parts anew
PROBE = 4096  # bytes at both ends of a range that tell one dump from another


class Part(NamedTuple):
    """The entities whose lines begin at a byte in ``start <= byte < stop``."""

    number: int
    start: int
    stop: int

    @property
    def name(self) -> str:
        """The stem of its files, such as ``part-00000``."""
        return f"part-{self.number:05d}"


def plan_parts(path: str | Path, bytes_a_part: int) -> list[Part]:
    """Cut a file into ranges of so many bytes, regardless of its lines; the last may be shorter."""
    size = dump_size(path)
    if size == 0:
        raise InputError(f"{path}: empty; expected KILT's knowledge source, one page a line.")
    starts = range(0, size, bytes_a_part)
    return [
        Part(number, start, min(start + bytes_a_part, size)) for number, start in enumerate(starts)
    ]


def dump_size(path: str | Path) -> int:
    path = Path(path)
    if not path.is_file():
        raise InputError(
            f"{path}: no such file. `muver stage download --files kilt --out FOLDER` fetches it."
        )
    return path.stat().st_size


def part_files(folder: Path, part: Part) -> tuple[Path, Path]:
    return folder / f"{part.name}.parquet", folder / f"{part.name}.json"


def fitting_manifest(
    dump: Path, folder: Path, part: Part, settings: ReadDump
) -> dict[str, Any] | None:
    """The manifest of a part that was made from this dump with these settings, else None.

    The dump is recognised by both ends of the part's range. A part whose last line had no line feed
    when it was read (the dump was still growing) fits only while the dump has the same size.
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


def content_hash(settings: ReadDump) -> str:
    """SHA-256 of the settings that decide what a part contains."""
    own = {"paragraphs": settings.paragraphs, "line_bytes": settings.line_bytes}
    return short_hash({"form": FORM, **own}, 64)


def probe(dump: Path, part: Part) -> str:
    """SHA-256 of the first and last bytes of a range of the dump."""
    with open(dump, "rb") as file:
        file.seek(part.start)
        first = file.read(min(PROBE, part.stop - part.start))
        file.seek(max(part.start, part.stop - PROBE))
        return hashlib.sha256(first + file.read(PROBE)[: part.stop - part.start]).hexdigest()


def remove_beyond(folder: Path, parts: int) -> list[str]:
    """Remove parts of a longer dump, or of one cut into more parts; return their file names."""
    removed = []
    for path in sorted(folder.glob("part-[0-9]*.*")):
        known = path.suffix in (".parquet", ".json") and path.stem[5:].isdigit()
        if known and int(path.stem[5:]) >= parts:
            path.unlink()
            removed.append(path.name)
    return removed


@dataclass(frozen=True)
class MadePart:
    """A part that has been made.

    Attributes
    ----------
    fingerprint, bytes
        SHA-256 and size of its Parquet file.
    segments
        Paragraphs of all its entities, an entity without any counting as 1: the most views that the
        kind "sentences" can make of them.
    """

    path: Path
    entities: int
    segments: int
    fingerprint: str
    bytes: int

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        """The entities in order, up to ``size`` at a time; memory holds little more than those."""
        with pq.ParquetFile(self.path) as file:
            try:
                yield from file.iter_batches(batch_size=size, columns=list(columns))
            except (pa.ArrowInvalid, OSError) as error:
                raise _damaged(self.path, str(error)) from None


def made_parts(folder: str | Path) -> list[int]:
    """Numbers of the parts that have a manifest, in order."""
    stems = (path.stem for path in Path(folder).glob("part-*.json"))
    return sorted(int(stem[5:]) for stem in stems if stem[5:].isdigit())


def open_part(folder: str | Path, number: int) -> MadePart:
    """Open a part, reading only its file's metadata."""
    parquet, manifest_file = part_files(Path(folder), Part(number, 0, 0))
    if not manifest_file.is_file():
        made = made_parts(folder)
        has = f"has the parts {made[0]} to {made[-1]}" if made else "has no parts"
        raise InputError(
            f"--part {number}: {folder} {has} (no {manifest_file.name}). "
            "`muver stage kb --step all` makes those that are missing."
        )
    manifest = read_json(manifest_file)
    try:
        metadata = pq.read_metadata(parquet)
    except (OSError, pa.ArrowInvalid) as error:
        raise _damaged(parquet, str(error)) from None
    size, rows = parquet.stat().st_size, metadata.num_rows
    if (size, rows) != (manifest["parquet_bytes"], manifest["entities"]):
        raise _damaged(
            parquet,
            f"{rows} entities in {size} bytes, its manifest says {manifest['entities']} in "
            f"{manifest['parquet_bytes']}",
        )
    return MadePart(parquet, rows, _segments(metadata), manifest["fingerprint"], size)


def _segments(metadata: pq.FileMetaData) -> int:
    """The number of paragraphs; Parquet counts an empty list as one."""
    paragraphs = metadata.num_columns - 1  # the last column of SCHEMA
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return sum(group.column(paragraphs).num_values for group in groups)


def _damaged(path: Path, reason: str) -> InputError:
    return InputError(f"{path}: missing or damaged ({reason}). Run `muver stage kb --step all`.")
