"""Look up entities of a finished knowledge base by Wikipedia id, title or number."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.matrices import load_matrix
from muver.retriever.corpus.kilt.parts import SCHEMA
from muver.retriever.corpus.kilt.titles import normal_title, title_hash

NONE = -1


class KnowledgeBase:
    """What `muver stage kb --step finish` wrote; arrays are memory-mapped, texts read when needed.

    ``ids`` are the Wikipedia ids by global number, (entities,) int64.
    """

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        path = self.folder / "manifest.json"
        if not path.is_file():
            raise InputError(f"{path}: no such file. `muver stage kb --step finish` writes it.")
        self.manifest = read_json(path)
        self.ids, self._by_id = self._array("ids.npy"), self._array("by_id.npy")
        self._hashes, self._hashed = self._array("by_title.npy")
        self._firsts = np.array([part["first"] for part in self.manifest["parts"]])

    def __len__(self) -> int:
        return int(self.manifest["entities"])

    def by_id(self, ids: ArrayLike) -> NDArray[np.int64]:
        """Global number of each Wikipedia id, -1 if unknown; of entities with one id, the first."""
        wanted = np.asarray(ids, np.int64)
        at = np.searchsorted(self.ids, wanted, sorter=self._by_id)
        numbers = np.asarray(self._by_id[np.minimum(at, len(self) - 1)])
        return np.where(self.ids[numbers] == wanted, numbers, NONE)

    def by_title(self, titles: Sequence[str]) -> NDArray[np.int64]:
        """Global number of each title, -1 if unknown.

        Titles are compared as `normal_title` spells them; a hash only finds candidates. If several
        entities have the same normal title, the one with exactly this spelling wins, else the
        first.
        """
        hashes = np.array([title_hash(title) for title in titles], np.uint64)
        left = np.searchsorted(self._hashes, hashes, "left")
        right = np.searchsorted(self._hashes, hashes, "right")
        found = [self._hashed[a:b].astype(np.int64) for a, b in zip(left, right, strict=True)]
        stored = iter(self.titles(np.concatenate([np.empty(0, np.int64), *found])))
        result = np.full(len(titles), NONE, np.int64)
        for position, (title, numbers) in enumerate(zip(titles, found, strict=True)):
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
            tables.append(self._part(part, columns).take(rows))
        return pa.concat_tables(tables).take(np.argsort(order))

    def _part(self, number: int, columns: Sequence[str] | None) -> pa.Table:
        path = self.folder / self.manifest["parts"][number]["file"]
        try:
            return pq.read_table(path, columns=columns, partitioning=None)
        except (FileNotFoundError, pa.ArrowInvalid) as error:
            raise InputError(
                f"{path}: missing or damaged ({error}). Run `muver stage kb --step all`."
            ) from None

    def _array(self, name: str) -> NDArray:
        path = self.folder / name
        array = load_matrix(path, "Run `muver stage kb --step finish`.")
        if array.shape[-1] != len(self):
            raise InputError(
                f"{path}: does not fit manifest.json. Run `muver stage kb --step finish`."
            )
        return array
