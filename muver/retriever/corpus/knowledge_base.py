"""A knowledge base in parts, which `muver.retriever.corpus.parts` writes.

A part is a Parquet file (`SCHEMA`); ``manifest.json`` lists the parts. An entity's number is its
place in the order of the parts. ``ids.npy`` has the Wikipedia ids by number, (entities,) int64;
``by_id.npy`` the numbers in order of id, (entities,) int64; ``by_title.npy`` (2, entities) uint64:
sorted hashes of the titles, and the numbers they belong to. Other texts of the same entities lie in
parts of the same form, without these arrays.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.matrices import load_matrix
from muver.io.parquet import parquet_errors
from muver.io.text import normal

MANIFEST = "manifest.json"
SCHEMA = pa.schema(
    [("id", pa.string()), ("title", pa.string()), ("paragraphs", pa.list_(pa.string()))]
)
NONE = -1
AGAIN = "Run `muver stage kb`, or for texts `muver stage kb-texts`, again."


def normal_title(title: str) -> str:
    """A title as Wikipedia shows it: spaces for underscores, the first letter a capital, NFC.

    >>> normal_title("new_York  City")
    'New York City'
    """
    title = " ".join(normal(title, "NFC").replace("_", " ").split())
    return title[:1].upper() + title[1:]


def title_hash(title: str) -> int:
    """64 bits of BLAKE2b of the normal title, as an unsigned number."""
    digest = hashlib.blake2b(normal_title(title).encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class MadePart(NamedTuple):
    """A part of a knowledge base.

    ``segments`` counts the paragraphs of all its entities, an entity without any as 1: the most
    views that the kind "sentences" can make of them.
    """

    path: Path
    first: int  # number of its first entity
    entities: int
    segments: int


def part_name(number: int) -> str:
    return f"part-{number:05d}.parquet"


def open_part(folder: str | Path, number: int) -> MadePart:
    """Open a part, reading only its file's metadata."""
    parts = _manifest(folder)["parts"]
    if not 0 <= number < len(parts):
        raise InputError(f"--part {number}: {folder} has the parts 0 to {len(parts) - 1}.")
    path = Path(folder, parts[number]["file"])
    with parquet_errors(path, AGAIN):
        metadata = pq.read_metadata(path)
    # Parquet counts an empty list as one value.
    paragraphs = metadata.num_columns - 1
    groups = (metadata.row_group(group) for group in range(metadata.num_row_groups))
    segments = sum(group.column(paragraphs).num_values for group in groups)
    return MadePart(path, parts[number]["first"], metadata.num_rows, segments)


class KnowledgeBase:
    """Finds entities by id, title or number; arrays are memory-mapped, texts read when needed."""

    def __init__(self, folder: str | Path):
        self.folder, self.manifest = Path(folder), _manifest(folder)
        self._firsts = np.array([part["first"] for part in self.manifest["parts"]])

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        """Wikipedia ids by number, (entities,)."""
        return load_matrix(self.folder / "ids.npy", AGAIN)

    def __len__(self) -> int:
        return int(self.manifest["entities"])

    def by_id(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Number of each Wikipedia id, -1 if unknown; of entities with one id, the first."""
        wanted, by_id = np.asarray(ids, np.int64), load_matrix(self.folder / "by_id.npy", AGAIN)
        at = np.searchsorted(self.ids, wanted, sorter=by_id)
        numbers = np.asarray(by_id[np.minimum(at, len(self) - 1)])
        return np.where(self.ids[numbers] == wanted, numbers, NONE)

    def by_title(self, titles: Sequence[str]) -> NDArray[np.int64]:
        """Number of each title, -1 if unknown.

        Titles are compared as `normal_title` spells them; a hash only finds candidates. If several
        entities have the same normal title, the one with exactly this spelling wins, else the
        first.
        """
        hashes = np.array([title_hash(title) for title in titles], np.uint64)
        ordered, numbered = load_matrix(self.folder / "by_title.npy", AGAIN)
        left = np.searchsorted(ordered, hashes, "left")
        right = np.searchsorted(ordered, hashes, "right")
        alike = [numbered[a:b].astype(np.int64) for a, b in zip(left, right, strict=True)]
        stored = iter(self.titles(np.concatenate([np.empty(0, np.int64), *alike])))
        result = np.full(len(titles), NONE, np.int64)
        for position, (title, numbers) in enumerate(zip(titles, alike, strict=True)):
            normal = normal_title(title)
            same = [(other != title, number) for number, other in zip(numbers, stored, strict=False)
                    if normal_title(other) == normal]  # fmt: skip
            if same:
                result[position] = min(same)[1]
        return result

    def titles(self, numbers: ArrayLike) -> list[str]:
        return self.rows(numbers, ["title"])["title"].to_pylist()

    def rows(self, numbers: ArrayLike, columns: Sequence[str] | None = None) -> pa.Table:
        """Entities (id, title, paragraphs, or the named columns), in the order of ``numbers``."""
        wanted = np.asarray(numbers, np.int64)
        if wanted.size and (wanted.min() < 0 or wanted.max() >= len(self)):
            raise InputError(f"{self.folder}: has the entities 0 to {len(self) - 1} only.")
        parts = np.searchsorted(self._firsts, wanted, "right") - 1
        order = np.argsort(parts, kind="stable")
        fields = [SCHEMA.field(name) for name in columns or SCHEMA.names]
        tables = [pa.schema(fields).empty_table()]
        for part in np.unique(parts):
            rows = wanted[order][parts[order] == part] - self._firsts[part]
            path = self.folder / self.manifest["parts"][part]["file"]
            with parquet_errors(path, AGAIN):
                tables.append(pq.read_table(path, columns=columns, partitioning=None).take(rows))
        return pa.concat_tables(tables).take(np.argsort(order))


def _manifest(folder: str | Path) -> dict[str, Any]:
    path = Path(folder, MANIFEST)
    if not path.is_file():
        raise InputError(f"{path}: no such file. `muver stage kb` or `kb-texts` writes it.")
    return read_json(path)
