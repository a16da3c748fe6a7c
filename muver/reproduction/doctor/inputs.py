"""Files that a run takes from elsewhere, and faults of the account that it runs under."""

import getpass
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from muver.io.errors import InputError
from muver.reproduction.workspace import Artifact, Graph
from muver.retriever.corpus.sources import find_source
from muver.retriever.corpus.zeshel import mistakes
from muver.retriever.encoders import hub

OK, NOTE, PROBLEM = "ok", "note", "PROBLEM"
MISTAKES = 10  # of a dataset that are listed


class Finding(NamedTuple):
    """What one check says."""

    check: str  # what was looked at
    status: str  # OK; NOTE: worth knowing, the run will work; PROBLEM: it will not
    says: str  # what was found and what to do


def data(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether the data and published weights are here, or can be made or downloaded."""
    settings, found = graph.settings, []
    if not any(artifact.kind == "raw" for artifact in asked):
        wrong = [] if _all_there(graph.corpus.files) else mistakes(Path(settings.dataset), MISTAKES)
        found += [Finding("dataset", PROBLEM, says) for says in wrong]
        if len(wrong) == MISTAKES:
            found.append(Finding("dataset", NOTE, "These are the first mistakes; more may follow."))
        if not wrong:
            found.append(Finding("dataset", OK, f"{settings.dataset}: is here"))
    for artifact in asked:
        name = "blink_benchmarks" if artifact.rule == "benchmarks" else artifact.rule
        files, key, source, url = artifact.files, f"linking.source.{name}", None, None
        if artifact.rule == "download":
            name, key = artifact.name, "download.source"
            source, url = settings.download.source, settings.download.url
        elif artifact.rule == "convert":
            name, source = artifact.name, artifact.inputs["checkpoint"]
            key, files = f"models.{name}.checkpoint", [source]
            if settings.over_kb and source == graph.download("blink_biencoder").path:
                name, source = "blink_biencoder", settings.linking.source.blink_biencoder
        elif artifact.kind == "raw":
            source = getattr(settings.linking.source, name)
        else:
            continue
        found.append(_from_elsewhere(name, files, key, source, url))
    return found


def _from_elsewhere(
    name: str, files: Sequence[str], key: str, source: str | None, url: str | None
) -> Finding:
    """Whether files are here, or can be taken from ``source``, the value of the setting ``key``."""
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
    if hub.place(name).is_dir() or hub.cached(name):
        return Finding("encoder", OK, f"{name}: is on this machine")
    return Finding("encoder", NOTE, f"{name} will be taken from the hub: needs the network.")


def _all_there(files: Sequence[str]) -> bool:
    return all(Path(file).exists() for file in files)


def lacking() -> Iterator[str]:
    """Sentences on what of this account or folder would make Snakemake, DVC or MLflow fail."""
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser() / ".cache")
    if not _can_be_written(place):
        yield (
            f"{place}: cannot be written, and Snakemake keeps a cache there. Name another folder: "
            "export XDG_CACHE_HOME=DIR, or HOME=DIR."
        )
    try:
        getpass.getuser()
    except (OSError, KeyError, ImportError):
        yield (
            f"the user with the number {os.getuid()} has no name, which Snakemake asks for. Give "
            "it one: export USER=me."
        )


def _can_be_written(folder: Path) -> bool:
    """Whether a file may be made in a folder, or in the nearest one above it that is there."""
    folder = folder.absolute()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            return True
    except OSError:
        return False
