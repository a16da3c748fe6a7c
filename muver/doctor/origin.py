"""The files of a workspace that a run was made from: store, merged views, model.

Runs lie in ``build/<dataset>/runs/<split>/<system>.parquet``. What Snakemake recorded of a file
names its inputs for sure; without that record params.yaml names the model, and the folders are
those of :mod:`muver.workspace.paths`.
"""

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from muver.io.files import read_json

KINDS = {"stores": 3, "merged": 4, "globals": 3, "spans": 3, "models": 2}  # parts of their folders


@dataclass(frozen=True)
class Origin:
    """A run among the files of its workspace."""

    root: Path  # the folder build/<dataset>
    system: str  # the row's name
    split: str | None  # None if the path does not say

    @classmethod
    def of(cls, run: Path) -> "Origin | None":
        """The origin of a run or TREC file; None if it lies in no workspace."""
        run = run.absolute()
        for folder in run.parents:
            if (folder / "corpus").is_dir() and run.parent != folder:
                kind = run.relative_to(folder).parts
                if kind[0] in ("runs", "trec"):
                    return cls(folder, run.stem, kind[1] if kind[0] == "runs" else None)
        return None

    @property
    def project(self) -> Path:
        """The folder that holds params.yaml."""
        above = (folder for folder in self.root.parents if (folder / "params.yaml").is_file())
        return next(above, self.root.parents[1])

    def file(self, *parts: str) -> Path | None:
        """A file of the workspace, if it is there."""
        path = self.root.joinpath(*parts)
        return path if path.is_file() else None

    @cached_property
    def evaluation(self) -> dict[str, Any] | None:
        """What ``muver evaluate`` wrote of this row."""
        path = self.file("evaluations", f"{self.system}.json")
        return read_json(path) if path else None

    @property
    def run_file(self) -> Path | None:
        """Our run, also where the file that was given is its TREC form."""
        evaluated = (self.evaluation or {}).get("settings", {}).get("retrieve", {})
        split = self.split or evaluated.get("split", "test")
        return self.file("runs", split, f"{self.system}.parquet")

    @cached_property
    def folders(self) -> dict[str, Path]:
        """Folders of stores, merged, globals, spans and models that the run was made from."""
        if self.run_file is None:
            return {}
        found = self._recorded(self.run_file) or self._by_settings()
        if "models" not in found and "stores" in found:
            named = {"models": self.root / "models" / found["stores"].name}
            found = {**named, **self._recorded(found["stores"] / "layer0.npy"), **found}
        return {kind: folder for kind, folder in found.items() if folder.is_dir()}

    def _recorded(self, file: Path) -> dict[str, Path]:
        """Folders among the inputs that Snakemake recorded of a file; none without a record."""
        try:
            path = file.resolve().relative_to(self.project.resolve()).as_posix()
            name = urlsafe_b64encode(path.encode()).decode()
            record = json.loads((self.project / ".snakemake" / "metadata" / name).read_text())
            inputs = [Path(one).parts for one in record["input"]]
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        return {
            kind: self.project.joinpath(*parts[: start + KINDS[kind]])
            for parts in inputs
            for start, kind in enumerate(parts)
            if kind in KINDS and len(parts) > start + KINDS[kind]
        }

    def _by_settings(self) -> dict[str, Path]:
        try:
            text = (self.project / "params.yaml").read_text(encoding="utf-8")
            own = yaml.safe_load(text)["systems"][self.system]
            model = own["model"]
        except (OSError, yaml.YAMLError, KeyError, TypeError):
            return {}
        split = self.split or "test"
        stage = lambda name, *more: self.root.joinpath(name, split, model, *more)  # noqa: E731
        found = {"stores": stage("stores"), "models": self.root / "models" / model}
        if own.get("merge_layers"):
            found["merged"] = stage("merged", own.get("search", "distant"))
        if own.get("global_view"):
            found["globals"] = stage("globals")
        if own.get("spans"):
            found["spans"] = stage("spans")
        return found
