"""Where a run lies, and the files it was made from: run, stores, model, start, corpus.

Our runs lie in ``build/<dataset>/runs/<split>/<system>.parquet``. What Snakemake recorded of a file
names its inputs for sure; without that record params.yaml names the model, and stage folders are
where :mod:`muver.workspace.paths` has them.
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
class Place:
    """A run of ours among the files of its workspace.

    Attributes
    ----------
    root
        The folder ``build/<dataset>``.
    system
        The row's name.
    split
        None if the path does not say.
    """

    root: Path
    system: str
    split: str | None

    @classmethod
    def of(cls, run: Path) -> "Place | None":
        """The place of a run or TREC file; None if it lies in no workspace."""
        run = run.absolute()
        for folder in run.parents:
            if (folder / "corpus").is_dir() and run.parent != folder:
                kind = run.relative_to(folder).parts
                if kind[0] in ("runs", "trec"):
                    return cls(folder, run.stem, kind[1] if kind[0] == "runs" else None)
        return None

    @property
    def project(self) -> Path:
        """The folder that holds build/."""
        return self.root.parents[1]

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
        split = self.split or (self.evaluation or {}).get("settings", {}).get("retrieve", {}).get(
            "split", "test"
        )
        return self.file("runs", split, f"{self.system}.parquet")

    @cached_property
    def folders(self) -> dict[str, Path]:
        """Folders of stores, merged, globals, spans and models that the run was made from."""
        run = self.run_file
        if run is None:
            return {}
        inputs = self.recorded_inputs(run)
        found = self._among(inputs) if inputs else self._by_settings()
        if "models" not in found and "stores" in found:
            found |= self._among(self.recorded_inputs(found["stores"] / "layer0.npy"))
            if "models" not in found:
                found["models"] = self.root / "models" / found["stores"].name
        return {kind: folder for kind, folder in found.items() if folder.is_dir()}

    def recorded_inputs(self, file: Path) -> list[str]:
        """Inputs of a file as Snakemake recorded them; none without a record."""
        try:
            name = urlsafe_b64encode(file.relative_to(self.project).as_posix().encode()).decode()
            record = json.loads((self.project / ".snakemake" / "metadata" / name).read_text())
            return [str(one) for one in record["input"]]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def _among(self, inputs: list[str]) -> dict[str, Path]:
        found: dict[str, Path] = {}
        base = self.root.relative_to(self.project).parts
        for one in inputs:
            parts = Path(one).parts
            if parts[: len(base)] == base and len(parts) > len(base):
                own = parts[len(base) :]
                if own[0] in KINDS and len(own) > KINDS[own[0]]:
                    found[own[0]] = self.root.joinpath(*own[: KINDS[own[0]]])
        return found

    def _by_settings(self) -> dict[str, Path]:
        try:
            text = (self.project / "params.yaml").read_text(encoding="utf-8")
            own = yaml.safe_load(text)["systems"][self.system]
            model = own["model"]
        except (OSError, yaml.YAMLError, KeyError, TypeError):
            return {}
        split = self.split or "test"
        found = {
            "stores": self.root / "stores" / split / model,
            "models": self.root / "models" / model,
        }
        if own.get("merge_layers"):
            search = own.get("search", "distant")
            found["merged"] = self.root / "merged" / split / model / search
        if own.get("global_view"):
            found["globals"] = self.root / "globals" / split / model
        if own.get("spans"):
            found["spans"] = self.root / "spans" / split / model
        return found
