"""What a run was made from: stores, merged views, model, start, corpus.

Our runs lie in ``build/<dataset>/runs/<set>/<system>-<key>.parquet``, and the catalog beside them
says what each was made of (:mod:`muver.workspace.catalog`).
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from muver.io.records import Record, read_record
from muver.workspace.catalog import origins, place_of, read_catalog

VECTORS = ("stores", "merged", "globals", "spans", "models")


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

    @property
    def system(self) -> str:
        """The row's name."""
        return Path(self.run).name.rpartition("-")[0]

    @property
    def project(self) -> Path:
        """The folder that holds build/."""
        return self.root.parents[1]

    @cached_property
    def origins(self) -> dict[str, Path]:
        """By kind, the nearest artifact that the run was made from."""
        return origins(self.root, self.run)

    def file(self, kind: str, name: str) -> Path | None:
        """A file of what the run was made from, if it is there."""
        path = self.origins.get(kind, self.root / kind) / name
        return path if path.is_file() else None

    @cached_property
    def scores(self) -> Path | None:
        """What ``muver evaluate`` wrote of this run; the gold ranks lie beside it."""
        made = read_catalog(self.root).items()
        own = (path for path, inputs in made if self.run in inputs)
        found = (self.root / f"{path}.json" for path in own if path.startswith("evaluations/"))
        return next((path for path in found if path.is_file()), None)

    @cached_property
    def evaluation(self) -> Evaluated | None:
        """Its content."""
        if self.scores is None:
            return None
        return read_record(self.scores, Evaluated, "an evaluation", "Run the evaluate stage again.")

    @property
    def run_file(self) -> Path | None:
        """Our run, also where the file that was given is its TREC form."""
        path = self.root / f"{self.run}.parquet"
        return path if path.is_file() else None

    @cached_property
    def folders(self) -> dict[str, Path]:
        """Folders of stores, merged, globals, spans and models that the run was made from."""
        return {
            kind: folder
            for kind, folder in self.origins.items()
            if kind in VECTORS and folder.is_dir()
        }
