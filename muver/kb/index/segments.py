"""Segments: files of entities with their views and words, written once and memory-mapped.

A segment is an Arrow file. Each of its record batches is a *part*: some thousands of entities by
world and id, one in each row, with lists of its views and words. The vectors of a part lie one
behind the other, so that they are multiplied where they lie on disk.
"""

import contextlib
import hashlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.files import atomic_path, sha256_of
from muver.kb.index.entity import Entity
from muver.kb.index.state import Damaged, Segment, damaged
from muver.retriever.vectors.block import ViewBlock

ENTITIES_A_PART = 4096
CHARACTERS_A_PART = 4_000_000
AT_ONCE = 1 << 26  # bytes whose checksum takes a fraction of a second
SPAN = pa.struct([("start", pa.int32()), ("end", pa.int32())])
VIEW = pa.struct([("layer", pa.int32()), ("first", pa.int32()), ("last", pa.int32())])
ENTITY = [
    ("key", pa.uint64()),
    ("content", pa.uint64()),
    ("id", pa.string()),
    ("world", pa.string()),
    ("title", pa.string()),
    ("description", pa.string()),
    ("aliases", pa.list_(pa.string())),
]
WORDS = [("words", pa.list_(pa.string())), ("counts", pa.list_(pa.int32()))]


def schema(dimension: int | None, words: bool) -> pa.Schema:
    """The columns of a segment.

    Parameters
    ----------
    dimension
        Of a vector; None for an index without a model.
    words
        Whether entities have their words.
    """
    columns = list(ENTITY)
    if dimension is not None:
        columns += [
            ("sentences", pa.list_(SPAN)),  # characters of the cleaned description
            ("views", pa.list_(VIEW)),
            ("vectors", pa.list_(pa.list_(pa.float32(), dimension))),
            ("length", pa.float32()),  # of the longest vector
        ]
    return pa.schema(columns + (WORDS if words else []))


class Part:
    """Some entities of a segment, by world and id.

    Attributes
    ----------
    live : (entities,) bool
        Which of them are there.
    """

    def __init__(self, batch: pa.RecordBatch, live: np.ndarray):
        self.batch = batch
        self.live = live

    def __len__(self) -> int:
        return self.batch.num_rows

    def without(self, live: np.ndarray) -> "Part":
        """The same part with other entities gone; what was computed of it is kept."""
        if np.array_equal(live, self.live):
            return self
        other = Part(self.batch, live)
        made = ("keys", "content", "spans", "starts", "vectors", "postings")
        other.__dict__.update({name: self.__dict__[name] for name in made if name in self.__dict__})
        return other

    @cached_property
    def keys(self) -> np.ndarray:
        """(entities,) uint64."""
        return self.batch.column("key").to_numpy()

    @cached_property
    def content(self) -> np.ndarray:
        """(entities,) uint64."""
        return self.batch.column("content").to_numpy()

    @cached_property
    def spans(self) -> dict[str, slice]:
        """The rows of each world."""
        runs = pc.run_end_encode(self.batch.column("world"))
        ends = runs.run_ends.to_pylist()
        starts = [0, *ends[:-1]]
        return {
            world: slice(start, end)
            for world, start, end in zip(runs.values.to_pylist(), starts, ends, strict=True)
        }

    @cached_property
    def starts(self) -> np.ndarray:
        """(entities + 1,) int32 first view of each entity, and the number of all."""
        return self.batch.column("vectors").offsets.to_numpy()

    @cached_property
    def vectors(self) -> np.ndarray:
        """(views, d) float32, memory-mapped."""
        vectors = self.batch.column("vectors").values
        return vectors.values.to_numpy().reshape(-1, vectors.type.list_size)

    @cached_property
    def lengths(self) -> np.ndarray:
        """(entities,) float32 length of the longest vector of each."""
        return self.batch.column("length").to_numpy()

    def rows(self, world: str | None) -> slice:
        """The rows of a world, or all."""
        return slice(0, len(self)) if world is None else self.spans.get(world, slice(0, 0))

    def block(self, world: str | None, first: int) -> ViewBlock:
        """The views of a world's entities, or of all; the entity of row 0 has the number first."""
        rows = self.rows(world)
        starts = self.starts[rows.start : rows.stop + 1].astype(np.int64)
        return ViewBlock(
            self.vectors[starts[0] : starts[-1]],
            np.arange(starts[0], starts[-1]),
            starts[:-1] - starts[0],
            np.repeat(np.arange(rows.start, rows.stop) + first, np.diff(starts)),
            self.live[rows],
        )

    def sentences(self, row: int) -> np.ndarray:
        """(sentences, 2) int32 an entity's spans, as of ``SPAN``."""
        return _numbers(self.batch.column("sentences")[row])

    def views(self, row: int) -> np.ndarray:
        """(views, 3) int32 an entity's views, as of ``VIEW``."""
        return _numbers(self.batch.column("views")[row])

    def vectors_of(self, row: int) -> np.ndarray:
        """(views, d) float32 the vectors of an entity's views."""
        return self.vectors[self.starts[row] : self.starts[row + 1]]

    def entity(self, row: int) -> Entity:
        """The entity of a row."""
        columns = ("id", "world", "title", "description", "aliases")
        return Entity(**{name: self.batch.column(name)[row].as_py() for name in columns})


def _numbers(records: pa.ListScalar) -> np.ndarray:
    """(records, fields) of a list of records of whole numbers."""
    return np.stack([field.to_numpy() for field in records.values.flatten()], axis=1)


class Check:
    """Compares a segment's SHA-256: at once, or in a thread where that would keep a user waiting.

    Attributes
    ----------
    wrong
        What was found; None while nothing was.
    """

    def __init__(self, path: Path, segment: Segment, wait: bool):
        self.wrong: Damaged | None = None
        self._path, self._segment = path, segment
        # Open from the beginning: another process may remove the file, which is no damage.
        self._thread = threading.Thread(target=self._compare, args=(path.open("rb"),), daemon=True)
        self._thread.start()
        if wait or segment.bytes <= AT_ONCE:
            self.finish()

    def finish(self) -> None:
        """Wait until it is done.

        Raises
        ------
        Damaged
            If the segment is.
        """
        self._thread.join()
        if self.wrong is not None:
            raise self.wrong

    def _compare(self, file: IO[bytes]) -> None:
        try:
            with file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            found = str(error.strerror)
        if found != self._segment.sha256:
            why = f"its SHA-256 is {found[:12]}, {self._segment.sha256[:12]} was written"
            self.wrong = damaged(self._path, why)


class Opened(NamedTuple):
    """A segment, its parts, and whether it is as it was written."""

    segment: Segment
    parts: list[Part]
    check: Check

    @classmethod
    def of(cls, folder: Path, segment: Segment, wait: bool = False) -> "Opened":
        """Map a segment.

        Parameters
        ----------
        wait
            Whether to check a large one at once as well.

        Raises
        ------
        FileNotFoundError
            If it has been removed since the state was read.
        Damaged
            If it is.
        """
        path = folder / segment.name
        if path.stat().st_size != segment.bytes:
            raise damaged(path, f"{path.stat().st_size} bytes, {segment.bytes} were written")
        check = Check(path, segment, wait)
        try:
            file = pa.ipc.open_file(pa.memory_map(str(path)))
            batches = [file.get_batch(number) for number in range(file.num_record_batches)]
        except pa.ArrowInvalid as error:
            raise damaged(path, str(error)) from None
        opened = cls(segment, [Part(one, np.ones(len(one), dtype=bool)) for one in batches], check)
        return opened.at(segment)

    def at(self, segment: Segment) -> "Opened":
        """The same at another time, with other entities gone."""
        live = np.ones(segment.entities, dtype=bool)
        live[segment.removed] = False
        ends = np.cumsum([len(part) for part in self.parts])[:-1]
        parts = [
            part.without(own) for part, own in zip(self.parts, np.split(live, ends), strict=True)
        ]
        return Opened(segment, parts, self.check)


class SegmentWriter:
    """Writes a segment part by part; the file gets its name when it is complete."""

    def __init__(self, path: Path, kind: pa.Schema):
        self.path, self.kind = path, kind
        self._stack = contextlib.ExitStack()
        self._entities = self._views = 0

    def __enter__(self) -> "SegmentWriter":
        self._temporary = self._stack.enter_context(atomic_path(self.path, durable=True))
        self._sink = self._stack.enter_context(pa.OSFile(str(self._temporary), "wb"))
        self._file = self._stack.enter_context(pa.ipc.new_file(self._sink, self.kind))
        return self

    def __exit__(self, *error) -> None:
        self._stack.__exit__(*error)

    def write(self, columns: Mapping[str, pa.Array]) -> None:
        """Append a part."""
        batch = pa.record_batch([columns[name] for name in self.kind.names], schema=self.kind)
        self._file.write_batch(batch)
        self._entities += len(batch)
        if "views" in columns:
            self._views += len(columns["views"].values)

    def segment(self) -> Segment:
        """What the state says of the file, once it is there."""
        return Segment(
            name=self.path.name,
            sha256=sha256_of(self.path),
            bytes=self.path.stat().st_size,
            entities=self._entities,
            views=self._views,
        )


def joined(parts: Sequence[Part]) -> Iterator[pa.RecordBatch]:
    """The entities of some parts that are not gone, in as few parts as possible."""
    held: list[pa.RecordBatch] = []
    for part in parts:
        held.append(part.batch.filter(pa.array(part.live)))
        while sum(map(len, held)) >= ENTITIES_A_PART:
            whole = pa.concat_batches(held)
            yield _sorted(whole.slice(0, ENTITIES_A_PART))
            held = [whole.slice(ENTITIES_A_PART)]
    if any(map(len, held)):
        yield _sorted(pa.concat_batches(held))


def _sorted(batch: pa.RecordBatch) -> pa.RecordBatch:
    keys = [("world", "ascending"), ("id", "ascending")]
    return batch.take(pc.sort_indices(batch, sort_keys=keys))


def groups(entities: Iterator[Entity]) -> Iterator[list[Entity]]:
    """Entities in groups of the size of a part, in order."""
    group: list[Entity] = []
    characters = 0
    for entity in entities:
        group.append(entity)
        characters += len(entity.description)
        if len(group) >= ENTITIES_A_PART or characters >= CHARACTERS_A_PART:
            yield sorted(group, key=lambda one: (one.world, one.id))
            group, characters = [], 0
    if group:
        yield sorted(group, key=lambda one: (one.world, one.id))
