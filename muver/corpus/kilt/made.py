"""Parts of a knowledge base that are made: their sizes from metadata, their rows streamed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from muver.corpus.kilt.parts import Part, part_files
from muver.io.errors import InputError
from muver.io.files import read_json


@dataclass(frozen=True)
class MadePart:
    """One part.

    Attributes
    ----------
    fingerprint
        SHA-256 of its Parquet file.
    bytes
        Size of that file.
    segments
        Paragraphs of all its entities, one without any counted as 1: views of kind "sentences" at
        most.
    """

    path: Path
    entities: int
    segments: int
    fingerprint: str
    bytes: int

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        """The entities in order, up to ``size`` at a time; memory holds little more than these."""
        with pq.ParquetFile(self.path) as file:
            try:
                yield from file.iter_batches(batch_size=size, columns=list(columns))
            except (pa.ArrowInvalid, OSError) as error:
                raise _damaged(self.path, str(error)) from None


def made_parts(folder: str | Path) -> list[int]:
    """Numbers of the parts whose manifests are there, in order."""
    stems = (path.stem for path in Path(folder).glob("part-*.json"))
    return sorted(int(stem[5:]) for stem in stems if stem[5:].isdigit())


def open_part(folder: str | Path, number: int) -> MadePart:
    """A part whose file is as its manifest says.

    Raises
    ------
    InputError
        If it was not made, or not finished, or its file is another one or damaged.
    """
    parquet, manifest_file = part_files(Path(folder), Part(number, 0, 0))
    if not manifest_file.is_file():
        made = made_parts(folder)
        has = f"has the parts {made[0]} to {made[-1]}" if made else "has no parts"
        raise InputError(
            f"--part {number}: {folder} {has} (no {manifest_file.name}). `muver kb all` makes "
            "those that are missing."
        )
    manifest = read_json(manifest_file)
    try:
        file = pq.ParquetFile(parquet)
    except (OSError, pa.ArrowInvalid) as error:
        raise _damaged(parquet, str(error)) from None
    with file:
        metadata = file.metadata
    size, rows = parquet.stat().st_size, metadata.num_rows
    if (size, rows) != (manifest["parquet_bytes"], manifest["entities"]):
        raise _damaged(
            parquet,
            f"{rows} entities in {size} bytes, its manifest says {manifest['entities']} in "
            f"{manifest['parquet_bytes']}",
        )
    return MadePart(parquet, rows, _segments(metadata), manifest["fingerprint"], size)


def _segments(metadata: pq.FileMetaData) -> int:
    """Items of the lists of paragraphs; Parquet counts an empty list as one."""
    last = metadata.num_columns - 1  # as in muver.corpus.kilt.parts.SCHEMA
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return sum(group.column(last).num_values for group in groups)


def _damaged(path: Path, reason: str) -> InputError:
    return InputError(f"{path}: missing or damaged ({reason}). Run `muver kb all`.")
