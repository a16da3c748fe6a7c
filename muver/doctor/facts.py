"""Everything that is written down of how a run was made, as flat names and values.

The chain run -> stores -> model -> start -> corpus is followed where the files lie beside each
other. A group of facts that no file tells is absent, which is not a difference.
"""

import importlib.metadata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from muver.doctor.place import Place
from muver.doctor.side import Side
from muver.encoders.files import CONFIG_FILE, TOWERS
from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.tracking.provenance import code_version
from muver.training.log import VALIDATION, kept_validation, read_log

COMPUTE = ("device", "precision", "threads", "processes", "batch_tokens")
LIBRARIES = (
    "accelerate", "bm25s", "faiss-cpu", "faiss-gpu", "nltk", "numpy", "safetensors", "scipy",
    "tokenizers", "torch", "transformers",
)  # fmt: skip


@dataclass
class Facts:
    """Facts by dotted name, and for each group (its first part) the file that told it."""

    values: dict[str, Any] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    def add(self, group: str, source: Path | str, found: Mapping[str, Any]) -> None:
        """Add a group's facts, nested ones under dotted names; what is there already stays."""
        self.sources.setdefault(group, str(source))
        for name, value in flat(found, group):
            self.values.setdefault(name, value)


def flat(nested: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Dotted names and values of nested settings.

    >>> dict(flat({"training": {"epochs": 3}}, "model"))
    {'model.training.epochs': 3}
    """
    for key, value in nested.items():
        name = f"{prefix}.{key}"
        if isinstance(value, Mapping):
            yield from flat(value, name)
        else:
            yield name, value


def facts_of(side: Side) -> Facts:
    """All facts of a run; weights and vectors are hashed, which reads them whole."""
    facts = Facts()
    if side.manifest is not None:
        _add_run(facts, side)
    place = side.place
    if place is None:
        return facts
    evaluation = place.evaluation
    if evaluation is not None:
        _add_row(facts, place, evaluation)
    if counts := place.file("corpus", "counts.json"):
        read = read_json(counts)
        facts.add("data", counts, {key: read.get(key) for key in ("dataset", "fingerprint")})
    folders = place.folders
    for kind, group in (("stores", "encoding"), ("merged", "merging")):
        if kind in folders and (folders[kind] / "manifest.json").is_file():
            _add_vectors(facts, kind, group, folders[kind] / "manifest.json")
    if "models" in folders:
        _add_model(facts, folders["models"])
    _add_origins(facts, place, "models" in folders)
    if "stores" in folders and (matrix := folders["stores"] / "layer0.npy").is_file():
        facts.add("vectors", matrix, {"sha256": digest(matrix)})
    _add_project(facts, place)
    return facts


def _add_run(facts: Facts, side: Side) -> None:
    manifest = side.manifest or {}
    settings = dict(manifest.get("settings", {}))
    source = side.path.with_suffix(".json")
    kind = "views"
    if "k1" in settings:
        kind = "bm25"
    elif settings.get("parts"):
        kind = "fusion"
    elif manifest.get("stage") == "ann-search":
        kind = "index" if "index" in manifest else "exact shards"
    elif "aggregate" not in settings:
        kind = "token vectors"
    facts.add("system", source, {"retriever": kind})
    facts.add("retrieve", source, settings)
    if chosen := manifest.get("chosen"):
        facts.add("retrieve", source, {"chosen": {"weight": chosen["weight"]}})
    if kind == "index":
        facts.add("index", source, {"factory": manifest["index"]})
    for name, value in (manifest.get("counts") or {}).items():
        facts.add("counts", source, {name: value})
    if inputs := {k: v for k, v in manifest.get("inputs", {}).items() if k != "store"}:
        facts.add("inputs", source, inputs)
    facts.add("version", source, {"muver": manifest.get("muver")})


def _add_row(facts: Facts, place: Place, evaluation: Mapping[str, Any]) -> None:
    """The row's settings; what they say of the model stands under ``model``."""
    source = place.root / "evaluations" / f"{place.system}.json"
    row = dict(evaluation["settings"])
    facts.add("data", source, {key: evaluation.get(key) for key in ("dataset", "fingerprint")})
    facts.add("seed", source, {"of_row": row.get("seed")})
    facts.add("retrieve", source, row.get("retrieve", {}))
    for group in ("corpus", "model", "segment", "merge", "parts", "global_view", "spans"):
        if group in row:
            facts.add(group, source, row[group])
    if "encoder" in row:
        facts.add("start", source, row["encoder"])
    if "precision" in row:
        facts.add("encoding", source, {"precision": row["precision"]})


def _add_vectors(facts: Facts, kind: str, group: str, manifest: Path) -> None:
    """How vectors were computed; how views were merged is the row's own affair."""
    settings = read_json(manifest)["settings"]
    if kind == "merged":
        settings = {"wasted": "kept", **settings}  # manifests of older versions do not name it
    facts.add(group, manifest, {k: v for k, v in settings.items() if k in COMPUTE})
    if kind == "merged":
        facts.add("merge", manifest, {k: v for k, v in settings.items() if k not in COMPUTE})


def _add_model(facts: Facts, folder: Path) -> None:
    config = folder / CONFIG_FILE
    if config.is_file():
        read = dict(read_json(config))
        provenance = read.pop("provenance", None) or {}
        facts.add("model", config, {**read, **provenance})
    for tower in TOWERS:
        weights = folder / tower / "model.safetensors"
        if weights.is_file():
            facts.add("weights", folder, {tower: digest(weights)})
    log = folder / "training_log.jsonl"
    if log.is_file():
        facts.add("kept", log, _kept(log))


def _kept(log: Path) -> dict[str, Any]:
    """Steps of a training, and which of its states was kept."""
    lines = read_log(log)
    steps = max((line["step"] for line in lines if "loss" in line), default=None)
    found: dict[str, Any] = {"steps": steps}
    for key in {key for line in lines for key in line if key.startswith(VALIDATION)}:
        found[key], found["step"] = kept_validation(log, int(key.removeprefix(VALIDATION)))
    return found


def _add_origins(facts: Facts, place: Place, has_model: bool) -> None:
    start = place.file("start", "manifest.json") if has_model else None
    if start:
        facts.add("start", start, read_json(start)["identity"])
    segment = place.file("segment", "manifest.json") if has_model else None
    if segment:
        read = read_json(segment)
        facts.add("segment", segment, read["settings"])
        facts.add("segment", segment, {"punkt_sha256": read.get("punkt", {}).get("sha256")})


def _add_project(facts: Facts, place: Place) -> None:
    """Code and libraries as they are in the project's folder now, not when the run was made."""
    project = place.project
    if (project / ".git").exists():
        tags = code_version(project)
        known = {"commit_now": "git_commit", "changed_now": "git_dirty"}
        own = {name: tags[tag] for name, tag in known.items() if tag in tags}
        facts.add("version", project, own)
    installed = {
        found.metadata["Name"].lower(): found.version
        for found in importlib.metadata.distributions(
            path=[str(path) for path in project.glob(".venv/lib/python3*/site-packages")]
        )
        if (found.metadata["Name"] or "").lower() in LIBRARIES
    }
    if installed:
        facts.add("libraries", project / ".venv", installed)


@lru_cache(maxsize=64)
def _digest(path: str, size: int, modified: int) -> str:
    return sha256_of(path)


def digest(path: Path) -> str:
    """SHA-256 of a file, read once for as long as it does not change."""
    path = path.resolve()
    state = path.stat()
    return _digest(str(path), state.st_size, state.st_mtime_ns)


def damages(side: Side) -> list[dict[str, str]]:
    """Files that do not belong together, or were changed: more likely than any setting.

    Returns
    -------
    Dicts of ``kind`` ("edited" or "mixed") and ``says``.
    """
    place, found = side.place, []
    if place is None or side.manifest is None:
        return found

    def say(kind: str, sentence: str) -> None:
        found.append({"kind": kind, "says": sentence})

    run, evaluation = place.run_file, place.evaluation
    recorded = (evaluation or {}).get("run_sha256")
    if run is not None and recorded is not None and digest(run) != recorded:
        say(
            "edited",
            f"{run}: not the file that was evaluated (its SHA-256 is {digest(run)[:12]}..., the "
            f"evaluation's is {recorded[:12]}...): edited by hand, or made again since. Run the "
            "evaluate stage, or the retrieve stage, again.",
        )
    folders = place.folders
    store = folders.get("stores")
    if store is not None and (store / "layer0.npy").is_file():
        now = digest(store / "layer0.npy")
        claims = [("the run", side.manifest.get("inputs", {}).get("store"))]
        for kind in ("merged", "globals", "spans"):
            manifest = folders[kind] / "manifest.json" if kind in folders else None
            if manifest is not None and manifest.is_file():
                claims.append((str(folders[kind]), read_json(manifest)["inputs"].get("store")))
        for what, claimed in claims:
            if claimed is not None and claimed != now:
                say(
                    "mixed",
                    f"{store}: {what} was made from another store ({claimed[:12]}..., this one is "
                    f"{now[:12]}...): two stores are mixed. Run the stages after encode again.",
                )
    found += _other_model(place, folders, evaluation)
    return found


def _other_model(
    place: Place, folders: Mapping[str, Path], evaluation: Mapping[str, Any] | None
) -> list[dict[str, str]]:
    """A model beside the run that is not the one its row says."""
    config = folders["models"] / CONFIG_FILE if "models" in folders else None
    model = (evaluation or {}).get("settings", {}).get("model", {})
    if config is None or not config.is_file() or "best_of" in model:
        return []
    read = read_json(config)
    wanted = dict(flat(model, "model"))
    have = dict(flat({**read, **(read.get("provenance") or {})}, "model"))
    wrong = [name for name in wanted if name in have and have[name] != wanted[name]]
    if not wrong:
        return []
    name = wrong[0]
    return [
        {
            "kind": "mixed",
            "says": f"{config}: {name} is {have[name]!r}, the row was evaluated with "
            f"{wanted[name]!r}: the model was trained again since, or replaced.",
        }
    ]


def check_scores(side: Side, mentions: list[str], ranks: Any) -> list[dict[str, str]]:
    """Ranks of the gold entities against those that the evaluation recorded beside it."""
    from muver.evaluation.ranks import read_ranks

    place = side.place
    path = place.file("evaluations", f"{place.system}.parquet") if place else None
    if path is None or side.manifest is None:
        return []
    try:
        table = read_ranks(path)
    except InputError as error:
        return [{"kind": "edited", "says": str(error)}]
    recorded = dict(zip(table["mention_id"].to_pylist(), table["rank"].to_pylist(), strict=True))
    wrong = [
        (mention, recorded[mention], rank)
        for mention, rank in zip(mentions, ranks.tolist(), strict=True)
        if recorded.get(mention, rank) != rank
    ]
    if not wrong:
        return []
    mention, then, now = wrong[0]
    return [
        {
            "kind": "edited",
            "says": f"{path}: gold ranks of {len(wrong)} mentions are not those of the run, for "
            f"instance {mention}: {then} there, {now} in {side.path} (0: not found). The run or "
            "the evaluation was changed since: run the evaluate stage again.",
        }
    ]
