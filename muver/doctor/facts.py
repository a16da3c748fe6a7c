"""What is written down of how a run was made, as flat names and values.

The chain run -> stores -> model -> start -> corpus is followed where the files lie beside each
other. A group of facts that no file tells is absent, which is not a difference.
"""

import importlib.metadata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from muver.doctor.origin import Evaluated, Origin
from muver.doctor.runs import Run
from muver.encoders.files import CONFIG_FILE, TOWERS
from muver.io.files import read_json, sha256_of
from muver.io.typed import flat
from muver.runs.chosen import chosen_of
from muver.tracking.provenance import code_version
from muver.training.log import VALIDATION, kept_validation, read_log

COMPUTE = ("device", "precision", "threads", "processes", "batch_tokens")
LIBRARIES = (
    "accelerate", "bm25s", "faiss-cpu", "faiss-gpu", "nltk", "numpy", "safetensors", "scipy",
    "tokenizers", "torch", "transformers",
)  # fmt: skip
ROW = ("corpus", "model", "segment", "merge", "parts", "global_view", "spans")
Group = tuple[str, Path, Mapping[str, Any]]  # its name, the file that tells it, and what


@dataclass
class Facts:
    """Facts by dotted name, and for each group (its first part) the file that told it."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def add(self, group: str, source: Path | str, values: Mapping[str, Any]) -> None:
        """Add a group's facts, nested ones under dotted names; what is there already stays."""
        self.sources.setdefault(group, str(source))
        for name, value in flat(values, group):
            if value != {}:
                self.values.setdefault(name, value)

    @property
    def weights(self) -> dict[str, Any]:
        """Hashes of the towers."""
        return {name: own for name, own in self.values.items() if name.startswith("weights.")}


def facts_of(run: Run) -> Facts:
    """All facts of a run; weights and vectors are hashed, which reads them whole."""
    facts = Facts()
    for group in _of_run(run):
        facts.add(*group)
    for group in _of_files(run.origin) if run.origin else ():
        facts.add(*group)
    return facts


def _of_run(run: Run) -> Iterator[Group]:
    """What the run's manifest says."""
    if run.manifest is None:
        return
    manifest, settings, source = run.manifest, run.settings, run.path.with_suffix(".json")
    kind = "views"
    if "k1" in settings:
        kind = "bm25"
    elif settings.get("parts"):
        kind = "fusion"
    elif manifest.get("stage") == "ann-search":
        kind = "index" if "index" in manifest else "exact shards"
    elif "aggregate" not in settings:
        kind = "token vectors"
    yield "system", source, {"retriever": kind}
    yield "retrieve", source, settings
    if chosen := chosen_of(manifest):
        yield "retrieve", source, {"chosen": {chosen.setting: chosen.value}}
    if kind == "index":
        yield "index", source, {"factory": manifest["index"]}
    if counts := manifest.get("counts"):
        yield "counts", source, counts
    if inputs := {k: v for k, v in manifest.get("inputs", {}).items() if k != "store"}:
        yield "inputs", source, inputs
    yield "version", source, {"muver": manifest.get("muver")}


def _of_files(origin: Origin) -> Iterator[Group]:
    """What the files behind the run say, from its row back to the corpus; the first one counts."""
    folders = origin.folders
    if origin.evaluation is not None:
        yield from _of_row(origin, origin.evaluation)
    if counts := origin.file("corpus", "counts.json"):
        read = read_json(counts)
        yield "data", counts, {key: read.get(key) for key in ("dataset", "fingerprint")}
    for kind, group in (("stores", "encoding"), ("merged", "merging")):
        manifest = folders[kind] / "manifest.json" if kind in folders else None
        if manifest and manifest.is_file():
            settings = read_json(manifest)["settings"]
            yield group, manifest, {k: v for k, v in settings.items() if k in COMPUTE}
            if kind == "merged":
                settings = {"wasted": "kept", **settings}  # older manifests do not name it
                yield "merge", manifest, {k: v for k, v in settings.items() if k not in COMPUTE}
    if "models" in folders:
        yield from _of_model(folders["models"])
        starts = (origin.file(kind, "manifest.json") for kind in ("pretrained", "start"))
        if start := next(filter(None, starts), None):
            yield "start", start, read_json(start)["identity"]
        if segment := origin.file("segment", "manifest.json"):
            read = read_json(segment)
            punkt = read.get("punkt", {}).get("sha256")
            yield "segment", segment, {**read["settings"], "punkt_sha256": punkt}
    if "stores" in folders and (matrix := folders["stores"] / "layer0.npy").is_file():
        yield "vectors", matrix, {"sha256": digest(matrix)}
    yield from _of_project(origin.project)


def _of_row(origin: Origin, evaluation: Evaluated) -> Iterator[Group]:
    """The row's settings; what they say of the model stands under ``model``."""
    source = origin.scores or origin.root
    row = evaluation.settings
    yield "data", source, {"dataset": evaluation.dataset, "fingerprint": evaluation.fingerprint}
    yield "seed", source, {"of_row": row.get("seed")}
    yield "retrieve", source, row.get("retrieve", {})
    for group in ROW:
        if group in row:
            yield group, source, row[group]
    if "encoder" in row:
        yield "start", source, row["encoder"]
    if "precision" in row:
        yield "encoding", source, {"precision": row["precision"]}


def _of_model(folder: Path) -> Iterator[Group]:
    """Its configuration and provenance, the hashes of its weights, the state that was kept."""
    if (config := folder / CONFIG_FILE).is_file():
        yield "model", config, model_config(config)
    for tower in TOWERS:
        if (weights := folder / tower / "model.safetensors").is_file():
            yield "weights", folder, {tower: digest(weights)}
    if (log := folder / "training_log.jsonl").is_file():
        lines = read_log(log)
        kept = {"steps": max((line["step"] for line in lines if "loss" in line), default=None)}
        for key in {key for line in lines for key in line if key.startswith(VALIDATION)}:
            kept[key], kept["step"] = kept_validation(log, int(key.removeprefix(VALIDATION)))
        yield "kept", log, kept


def model_config(path: Path) -> dict[str, Any]:
    """A model's muver.json, its provenance beside the rest."""
    read = read_json(path)
    provenance = read.pop("provenance", None) or {}
    return {**read, **provenance}


def _of_project(project: Path) -> Iterator[Group]:
    """Code and libraries as they are in the project's folder now, not when the run was made."""
    if (project / ".git").exists():
        tags = code_version(project)
        known = {"commit_now": "git_commit", "changed_now": "git_dirty"}
        yield "version", project, {name: tags[tag] for name, tag in known.items() if tag in tags}
    libraries = [str(path) for path in project.glob(".venv/lib/python3*/site-packages")]
    names = {
        (found.metadata["Name"] or "").lower(): found.version
        for found in importlib.metadata.distributions(path=libraries)
    }
    if installed := {name: version for name, version in names.items() if name in LIBRARIES}:
        yield "libraries", project / ".venv", installed


@lru_cache(maxsize=64)
def _digest(path: str, size: int, modified: int) -> str:
    return sha256_of(path)


def digest(path: Path) -> str:
    """SHA-256 of a file, read once for as long as it does not change."""
    path = path.resolve()
    state = path.stat()
    return _digest(str(path), state.st_size, state.st_mtime_ns)
