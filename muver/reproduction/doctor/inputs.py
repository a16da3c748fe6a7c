"""Whether a run finds what it takes from outside, and may write where it will."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from muver.io.errors import InputError
from muver.reproduction.workspace import Artifact, Graph, KnowledgeBase
from muver.reproduction.workspace.locking import holder
from muver.retriever.corpus.sources import find_source
from muver.retriever.encoders import hub

OK, NOTE, PROBLEM = "ok", "note", "PROBLEM"
WRITTEN = ("build", "results", "logs", ".snakemake", "mlartifacts")


class Finding(NamedTuple):
    """What one check says."""

    check: str  # what was looked at
    status: str  # OK; NOTE: worth knowing, the run will work; PROBLEM: it will not
    says: str  # what was found and what to do


def all_inputs(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether data, weights and texts that a run takes from outside are here, or can be had."""
    found = data(graph, asked) + punkt(graph, asked)
    return [*found, encoder(graph), *checkpoints(graph, asked)]


def _all_there(files: Sequence[str]) -> bool:
    return all(Path(file).exists() for file in files)


def data(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether the data are here, or can be made or downloaded: a finding for each download."""
    dataset = graph.settings["dataset"]
    raw = [one for one in asked if one.kind == "raw"]
    if not raw:
        missing = [file for file in graph.raw_files if not Path(file).is_file()]
        says = f"{missing[0]}: no such file, and {dataset} needs it." if missing else ""
        return [Finding("dataset", PROBLEM if missing else OK, says or f"{dataset}: is here")]
    return [_raw(graph, one) for one in raw]


def _raw(graph: Graph, one: Artifact) -> Finding:
    settings = graph.settings
    if one.rule == "generate":
        return Finding("dataset", OK, f"{settings['dataset']} is made here, without a download")
    if isinstance(graph, KnowledgeBase):
        name = "blink_benchmarks" if one.rule == "benchmarks" else one.rule
        key, source, url = f"linking.source.{name}", settings["linking"]["source"][name], None
    else:
        name, key = one.name, "download.source"
        source, url = (settings["download"][key] for key in ("source", "url"))
    if _all_there(one.files):
        return Finding("dataset", OK, f"{name}: is here")
    return _download("dataset", name, key, source, url)


def _download(
    check: str, name: str, key: str, source: str | None, url: str | None = None
) -> Finding:
    """What becomes of a download that is not here; ``key`` sets its ``source``."""
    if source is None:
        address = url or find_source(name).address
        return Finding(check, NOTE, f"{name} will be downloaded from {address}: needs the network.")
    if Path(source).exists():
        return Finding(check, OK, f"{source} is taken")
    return Finding(check, PROBLEM, f"{key} is {source}: no such file.")


def checkpoints(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether published weights lie where they are expected, or can be downloaded."""
    found = []
    for one in asked:
        if one.rule != "convert":
            continue
        file = str(one.inputs["checkpoint"])
        linked = isinstance(graph, KnowledgeBase)
        if Path(file).is_file():
            found.append(Finding("checkpoint", OK, f"{one.name}: {file} is here"))
        elif linked and file == graph.download("blink_biencoder").path:
            name = "blink_biencoder"
            source = graph.linking["source"][name]
            found.append(_download("checkpoint", name, f"linking.source.{name}", source))
        else:
            says = f"models.{one.name}.checkpoint is {file}: no such file. Put the weights there."
            found.append(Finding("checkpoint", PROBLEM, says))
    return found


def punkt(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether the sentence splitter's parameters are here; nothing where paragraphs are views."""
    if isinstance(graph, KnowledgeBase):
        return []
    status, says = OK, "Punkt is trained here, without a download"
    for one in asked:
        if one.kind == "punkt_english":
            status, says = OK, "Punkt's English parameters are here"
            if not _all_there(one.files):
                status = NOTE
                says = "Punkt's English parameters will be downloaded: needs the network."
    return [Finding("sentences", status, says)]


def encoder(graph: Graph) -> Finding:
    """Whether the weights that training starts from are here, or can be had."""
    name = graph.settings["encoder"]
    if name == "scratch":
        return Finding("encoder", OK, "made from scratch, without a download")
    if _all_there(graph.encoder.files):
        return Finding("encoder", OK, f"{name}: taken already (start/)")
    try:
        hub.check_form(name)
        if hub.is_offline():
            hub.check_there(name)
    except InputError as error:
        return Finding("encoder", PROBLEM, str(error))
    if Path(name).is_dir():
        return Finding("encoder", OK, f"{name}: a directory here")
    if hub.cached(name):
        return Finding("encoder", OK, f"{name}: in the hub's cache on this machine")
    return Finding("encoder", NOTE, f"{name} will be taken from the hub: needs the network.")


def writable(folder: Path, may: Callable[[Path, int], bool] = os.access) -> list[Finding]:
    """Whether the folders that a run writes to can be written to."""
    problems = []
    for name in WRITTEN:
        place = folder / name
        if place.exists() and not place.is_dir():
            problems.append(Finding("folders", PROBLEM, f"{place}: a file; a folder is needed."))
            continue
        while not place.exists():
            place = place.parent
        if not may(place, os.W_OK | os.X_OK):
            says = f"{place}: may not be written to, and {name}/ goes there."
            problems.append(Finding("folders", PROBLEM, says))
    return problems or [Finding("folders", OK, f"{', '.join(WRITTEN)}: can be written to")]


def lock(folder: Path, at_work: Callable[[Path], tuple[int, str] | None] = holder) -> Finding:
    """Whether a killed run left its lock, or one is at work."""
    locks = folder / ".snakemake" / "locks"
    if not locks.is_dir() or not any(locks.iterdir()):
        return Finding("lock", OK, "no run holds this folder")
    found = at_work(folder)
    if found is not None:
        says = f"{found[1]} is at work here as process {found[0]}: wait until it ends."
        return Finding("lock", PROBLEM, says)
    says = "a run that was cut short left its lock: muver unlock removes it (make does so itself)."
    return Finding("lock", PROBLEM, says)
