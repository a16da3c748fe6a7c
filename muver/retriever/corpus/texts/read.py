"""Read texts that replace the paragraphs of a knowledge base."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import read_json

MANIFEST = "manifest.json"
SCHEMA = pa.schema([("paragraphs", pa.list_(pa.string()))])  # an entity's text, or nothing
AGAIN = "Run `muver stage kb-texts` again."


class EntityTexts:
    """What `muver stage kb-texts` wrote; ``manifest`` is its ``manifest.json``."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        if not path.is_file():
            raise InputError(f"{path}: no such file. `muver stage kb-texts` writes it.")
        self.manifest = read_json(path)
        self._firsts = np.array([part["first"] for part in self.manifest["parts"]])

    def fingerprint(self, number: int, kb: str) -> str:
        """SHA-256 of a part's file; ``kb`` is the fingerprint of the knowledge base's part."""
        parts = self.manifest["parts"]
        if number >= len(parts) or parts[number]["kb"] != kb:
            raise InputError(
                f"{self.folder}: not written for this knowledge base's part {number}. {AGAIN}"
            )
        return parts[number]["fingerprint"]

    def part(self, number: int) -> pa.ListArray:
        """The lists ``paragraphs`` of a part's entities, in order."""
        own = self.manifest["parts"][number]
        path = self.folder / own["file"]
        try:
            table = pq.read_table(path, schema=SCHEMA, partitioning=None)
            if table.num_rows != own["entities"]:
                raise pa.ArrowInvalid(f"{table.num_rows} texts of {own['entities']} entities")
        except (FileNotFoundError, pa.ArrowInvalid) as error:
            raise InputError(f"{path}: missing or damaged ({error}). {AGAIN}") from None
        return table["paragraphs"].combine_chunks()

    def of(self, numbers: NDArray[np.int64], kb: str) -> pa.Array:
        """The lists of entities by their increasing numbers; ``kb`` is the base's fingerprint."""
        if self.manifest["inputs"]["kb"] != kb:
            raise InputError(f"{self.folder}: written for another knowledge base. {AGAIN}")
        owners = np.searchsorted(self._firsts, numbers, "right") - 1
        found = [
            self.part(owner).take(pa.array(numbers[owners == owner] - self._firsts[owner]))
            for owner in np.unique(owners).tolist()
        ]
        return pa.concat_arrays([pa.array([], SCHEMA.field(0).type), *found])
