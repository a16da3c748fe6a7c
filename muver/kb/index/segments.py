"""Segments: files of entities with their views and words, written once and memory-mapped.

A segment is an Arrow file. Each of its record batches is a *part*: some thousands of entities by
world and id, one in each row, with lists of its views and words. The vectors of a part lie one
behind the other, so that they are multiplied where they lie on disk. What its words and names are
looked up by is made when it is written, from the entities alone.
"""

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from muver.io.files import atomic_path, sha256_of
from muver.io.parquet import row_groups
from muver.kb.index.costs import Held
from muver.kb.index.entity import Entity
from muver.kb.index.lookup import LOOKED_UP, Table, looked_up
from muver.kb.index.state import SEGMENTS, Damaged, Model, Segment
from muver.kb.index.views import EntityViews

ENTITIES_A_PART = 4096
CHARACTERS_A_PART = 4_000_000
AT_ONCE = 1 << 26  # bytes of a file whose checksum is compared when it is opened
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
    ("further", pa.map_(pa.string(), pa.string())),
]
VIEWS = [
    ("sentences", pa.list_(SPAN)),  # characters of the cleaned description
    ("spans", pa.list_(VIEW)),  # of each vector of the column views
    ("unread", pa.int32()),  # characters of the description that no view reads
    ("length", pa.float32()),  # of the longest vector of views and of the whole description
]


def schema(model: Model | None) -> pa.Schema:
    """The columns of a segment: entities, what they are looked up by, and a model's vectors."""
    fields = [*ENTITY, *LOOKED_UP]
    if model:
        vectors = pa.list_(pa.list_(pa.float32(), model.dimension))
        fields += VIEWS if has_views(model.columns) else []
        fields += [(name, vectors) for name in model.columns]
    return pa.schema(fields)


def has_views(columns: Collection[str]) -> bool:
    """Whether columns of vectors are of descriptions' sentences, or of all of them."""
    return not {"views", "whole"}.isdisjoint(columns)


def own_columns(entities: Sequence[Entity]) -> dict[str, pa.Array]:
    """The columns of entities that need no model."""
    return {
        name: pa.array([getattr(entity, name) for entity in entities], kind)
        for name, kind in ENTITY
    }


class Part:
    """Some entities of a segment, by world and id; ``live``, (entities,) bool, says which of them
    are still there. ``keys`` and ``content``, (entities,) uint64, are as of :class:`Entity`.
    """

    def __init__(self, batch: pa.RecordBatch, live: np.ndarray, path: Path):
        self.batch, self.live, self._path = batch, live, path
        self.keys, self.content = (batch.column(name).to_numpy() for name in ("key", "content"))
        self._vectors: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def __len__(self) -> int:
        return self.batch.num_rows

    def with_live(self, live: np.ndarray) -> "Part":
        """The same part with other entities gone; what was computed of it is kept."""
        other = copy.copy(self)
        other.live = live
        return other

    @cached_property
    def spans(self) -> dict[str, slice]:
        """The rows of each world."""
        runs = pc.run_end_encode(self.batch.column("world"))
        ends = runs.run_ends.to_pylist()
        return dict(zip(runs.values.to_pylist(), map(slice, [0, *ends], ends), strict=False))

    def vectors(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Of a column (entities + 1,) int32 first vector of each entity, and the number of all; and
        the (vectors, d) float32, memory-mapped.
        """
        if column not in self._vectors:
            lists = self.batch.column(column)
            width, numbers = lists.values.type.list_size, lists.values.values.to_numpy()
            self._vectors[column] = lists.offsets.to_numpy(), numbers.reshape(-1, width)
        return self._vectors[column]

    def names(self) -> tuple[np.ndarray, np.ndarray]:
        """(entities + 1,) int32 the first name of each entity, and the number of all; and (names,)
        uint64 keys of titles and aliases as they are compared.
        """
        lists = self.batch.column("folded")
        return lists.offsets.to_numpy(), lists.values.to_numpy()

    @cached_property
    def letters(self) -> tuple[np.ndarray, sparse.csr_array]:
        """(n-grams,) uint64 keys of names' n-grams, increasing, and (n-grams, names) counts."""
        table = Table.read(self.batch.column("letters"))
        try:
            return table.keys, table.matrix(len(self.batch.column("folded").values))
        except ValueError as error:
            raise Damaged(self._path, str(error)) from None

    @cached_property
    def _words(self) -> Table:
        return Table.read(self.batch.column("words"))

    def having(self, keys: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each word's key the rows of the entities that have it, and how often."""
        rows_of = self._words.having(keys)
        if any(rows.min() < 0 or rows.max() >= len(self) for rows, _ in rows_of if len(rows)):
            raise Damaged(self._path, "a word of entities that it does not have")
        return rows_of

    @cached_property
    def held(self) -> Held:
        return Held.of(self.batch)

    @property
    def unread(self) -> tuple[int, int]:
        """Characters of the descriptions that are there, and how many of them no view reads."""
        rows = self.batch.select(["description", "unread"]).filter(pa.array(self.live))
        lengths = pc.sum(pc.utf8_length(rows["description"])).as_py()
        return lengths or 0, pc.sum(rows["unread"]).as_py() or 0

    def rows(self, world: str | None) -> slice:
        return slice(0, len(self)) if world is None else self.spans.get(world, slice(0, 0))

    def vectors_of(self, column: str, row: int) -> np.ndarray:
        """(some, d) float32 the vectors that an entity has in a column."""
        starts, vectors = self.vectors(column)
        return vectors[starts[row] : starts[row + 1]]

    def entity(self, row: int) -> Entity:
        columns = ("id", "world", "title", "description", "aliases")
        values = {name: self.batch.column(name)[row].as_py() for name in columns}
        return Entity(**values, further=dict(self.batch.column("further")[row].as_py() or ()))

    @property
    def further_names(self) -> set[str]:
        """Names of the other columns that any entity has."""
        return set(pc.unique(self.batch.column("further").keys).to_pylist())

    def narrowed(self, where: Mapping[str, str]) -> "Part":
        """The same with only those whose other columns have these values, whole or as a line."""
        live, further = self.live, self.batch.column("further")
        for name, value in where.items():
            values = pc.fill_null(pc.map_lookup(further, name, "first"), "")
            lines = pc.binary_join_element_wise("", values, "", "\n")
            live = live & pc.match_substring(lines, f"\n{value}\n").to_numpy(zero_copy_only=False)
        return self.with_live(live)

    def views(self, row: int) -> EntityViews:
        """An entity with its views of sentences, if the index has them."""
        names, entity = self.batch.schema.names, self.entity(row)
        if "spans" not in names:
            return EntityViews(entity, np.empty((0, 2), np.int32))
        sentences, views = self._structs("sentences", row), self._structs("spans", row)
        vectors = self.vectors_of("views", row) if "views" in names else np.empty((0, 0))
        return EntityViews(entity, sentences, views, vectors)

    def _structs(self, column: str, row: int) -> np.ndarray:
        """(some, fields) int32 of a list of structs."""
        fields = self.batch.column(column)[row].values.flatten()
        return np.stack([field.to_numpy() for field in fields], axis=1)


def opened(folder: Path, segment: Segment) -> list[Part]:
    """Map the parts of a segment. Damage that a small file's checksum or the form tells is an
    error.
    """
    check(folder, segment, AT_ONCE)
    path = folder / segment.name
    try:
        file = pa.ipc.open_file(pa.memory_map(str(path)))
        batches = [file.get_batch(number) for number in range(file.num_record_batches)]
    except (pa.ArrowInvalid, FileNotFoundError) as error:
        raise Damaged(path, str(error)) from None
    if not sum(map(len, batches)) == segment.entities > max(segment.removed, default=-1):
        raise Damaged(path, f"not the {segment.entities} entities that its index says")
    return live_parts([Part(batch, np.ones(len(batch), bool), path) for batch in batches], segment)


def live_parts(parts: Sequence[Part], segment: Segment) -> list[Part]:
    """The parts of a segment with only those entities live that it does not say are removed."""
    live = np.ones(segment.entities, dtype=bool)
    live[segment.removed] = False
    ends = np.cumsum([len(part) for part in parts])[:-1]
    return [part.with_live(rows) for part, rows in zip(parts, np.split(live, ends), strict=True)]


def check(folder: Path, segment: Segment, most: float = float("inf")) -> None:
    """Refuse a file that is not as it was written; one of more than ``most`` bytes by its size."""
    path = folder / segment.name
    if not path.is_file():
        raise Damaged(path, "no such file")
    if (there := path.stat().st_size) != segment.bytes:
        raise Damaged(path, f"{there} bytes, {segment.bytes} were written")
    if there <= most and (sha256 := sha256_of(path)) != segment.sha256:
        raise Damaged(path, f"its SHA-256 is {sha256[:12]}, {segment.sha256[:12]} was written")


def write_segment(
    folder: Path, name: str, model: Model | None, parts: Iterable[Mapping[str, pa.Array]]
) -> list[Segment]:
    """Write the columns of parts, one after another, with those of :data:`LOOKED_UP`; none if there
    are no parts. The file gets its name when it is complete.
    """
    parts = iter(parts)
    if (first := next(parts, None)) is None:
        return []
    path, kind = folder / SEGMENTS / name, schema(model)
    entities = views = 0
    with (
        atomic_path(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, kind) as file,
    ):
        for columns in chain([first], parts):
            columns = {**columns, **looked_up(columns)}
            file.write_batch(pa.record_batch([columns[f.name] for f in kind], schema=kind))
            entities += len(columns["key"])
            views += len(columns["views"].values) if "views" in columns else 0
    return [Segment(name, sha256_of(path), path.stat().st_size, entities, views)]


def joined(parts: Sequence[Part]) -> Iterator[dict[str, pa.Array]]:
    """The columns of the entities that are still there, in as few parts as possible."""
    held: list[pa.RecordBatch] = []
    for part in parts:
        kept = part.batch.drop_columns([name for name, _ in LOOKED_UP])
        held.append(kept.filter(pa.array(part.live)))
        while sum(map(len, held)) >= ENTITIES_A_PART:
            whole = pa.concat_batches(held)
            yield _sorted(whole.slice(0, ENTITIES_A_PART))
            held = [whole.slice(ENTITIES_A_PART)]
    if any(map(len, held)):
        yield _sorted(pa.concat_batches(held))


def _sorted(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    batch = batch.sort_by([("world", "ascending"), ("id", "ascending")])
    return dict(zip(batch.schema.names, batch.columns, strict=True))


def groups(entities: Iterable[Entity]) -> Iterator[list[Entity]]:
    """Entities in groups of the size of a part, each by world and id."""
    for group in row_groups(
        entities, lambda e: len(e.description), ENTITIES_A_PART, CHARACTERS_A_PART
    ):
        yield sorted(group, key=lambda e: (e.world, e.id))
