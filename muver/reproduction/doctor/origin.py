"""What a run was made from, and how it was evaluated.

Our runs lie in ``build/<dataset>/runs/<set>/<system>-<key>.parquet``, and the catalog beside them
says what each was made of (:mod:`muver.reproduction.workspace.catalog`).
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from muver.io.records import Record, read_record
from muver.reproduction.workspace.catalog import origins, place_of, read_catalog


class Evaluated(Record):
    """What an evaluation's file says of its row, as far as the version that wrote it did."""

    dataset: str | None = None
    fingerprint: str | None = None
    settings: dict[str, Any] = {}
    run_sha256: str | None = None


@dataclass(frozen=True)
class Origin:
    """A run among the files of its dataset.

    Attributes
    ----------
    root
        The folder ``build/<dataset>``.
    run
        The run's path below it, without its suffix.
    """

    root: Path
    run: str

    @classmethod
    def of(cls, path: Path) -> "Origin | None":
        """The origin of a run or of its TREC file; None if it lies in no dataset's folder."""
        place = place_of(path)
        if place is None:
            return None
        root, own = place
        runs = [own, *read_catalog(root).get(own, [])]  # an evaluation has its run among its inputs
        return next((cls(root, one) for one in runs if one.startswith("runs/")), None)

    def file(self, kind: str, name: str) -> Path | None:
        """A file of the nearest artifact of a kind that the run was made from, if it is there."""
        path = origins(self.root, self.run).get(kind, self.root / kind) / name
        return path if path.is_file() else None

    @cached_property
    def evaluation(self) -> Evaluated | None:
        """What ``muver stage evaluate`` wrote of this run."""
        made = read_catalog(self.root).items()
        own = (path for path, inputs in made if self.run in inputs)
        found = (self.root / f"{path}.json" for path in own if path.startswith("evaluations/"))
        path = next((path for path in found if path.is_file()), None)
        if path is None:
            return None
        return read_record(path, Evaluated, "an evaluation", "Run the evaluate stage again.")

    @property
    def run_file(self) -> Path:
        """Our run, also where the file that was given is its TREC form."""
        return self.root / f"{self.run}.parquet"
