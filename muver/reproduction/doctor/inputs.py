"""Whether a run finds what it takes from outside."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from muver.io.errors import InputError
from muver.reproduction.workspace import Artifact, Graph, KnowledgeBase
from muver.retriever.corpus.sources import find_source
from muver.retriever.encoders import hub

OK, NOTE, PROBLEM = "ok", "note", "PROBLEM"


class Finding(NamedTuple):
    """What one check says."""

    check: str  # what was looked at
    status: str  # OK; NOTE: worth knowing, the run will work; PROBLEM: it will not
    says: str  # what was found and what to do


def _all_there(files: Sequence[str]) -> bool:
    return all(Path(file).exists() for file in files)


def data(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether the data and published weights are here, or can be made or downloaded."""
    dataset = graph.settings.dataset
    found = []
    if not any(one.kind == "raw" for one in asked):
        missing = [file for file in graph.raw_files if not Path(file).is_file()]
        says = f"{missing[0]}: no such file, and {dataset} needs it." if missing else ""
        found.append(Finding("dataset", PROBLEM if missing else OK, says or f"{dataset}: is here"))
    for one in asked:
        if one.rule == "download":
            own = graph.settings.download
            found.append(_download(one.name, one.files, "download.source", own.source, own.url))
        elif one.kind == "raw":
            name = "blink_benchmarks" if one.rule == "benchmarks" else one.rule
            found.append(_linked(graph, name, one.files))
        elif one.rule == "convert":
            file, key = str(one.inputs["checkpoint"]), f"models.{one.name}.checkpoint"
            if isinstance(graph, KnowledgeBase) and file == graph.download("blink_biencoder").path:
                found.append(_linked(graph, "blink_biencoder", [file]))
            else:
                found.append(_download(one.name, [file], key, file))
    return found


def _linked(graph: KnowledgeBase, name: str, files: Sequence[str]) -> Finding:
    return _download(name, files, f"linking.source.{name}", getattr(graph.linking.source, name))


def _download(
    name: str, files: Sequence[str], key: str, source: str | None, url: str | None = None
) -> Finding:
    """What becomes of files from elsewhere; ``key`` sets their ``source``."""
    if _all_there(files):
        return Finding("dataset", OK, f"{name}: is here")
    if source is None:
        if find_source(name).shipped:
            return Finding("dataset", OK, f"{name} comes with muver, without a download")
        address = url or find_source(name).address
        return Finding("dataset", NOTE, f"{name} will be downloaded from {address}.")
    if Path(source).exists():
        return Finding("dataset", OK, f"{source} is taken")
    return Finding("dataset", PROBLEM, f"{key} is {source}: no such file.")


def encoder(graph: Graph) -> Finding:
    """Whether the weights that training starts from are here, or can be had."""
    name = graph.settings.encoder
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
    if Path(name).is_dir() or hub.cached(name):
        return Finding("encoder", OK, f"{name}: is on this machine")
    return Finding("encoder", NOTE, f"{name} will be taken from the hub: needs the network.")
