"""Before a run: whether everything is there and fits this machine, and how long it will take."""

import getpass
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.progress import duration
from muver.io.text import aligned, counted
from muver.reproduction.doctor.plan import Machine, gpus_here, plan, together
from muver.reproduction.settings.resolve import Config, settings_in
from muver.reproduction.workspace import Artifact, Graph, graph_of
from muver.retriever.corpus.sources import find_source
from muver.retriever.corpus.zeshel import mistakes
from muver.retriever.encoders import hub
from muver.retriever.encoders.encoders_settings import Compute

OK, NOTE, PROBLEM = "ok", "note", "PROBLEM"
MISTAKES = 10  # of a dataset that are listed
Report = dict[str, Any]


class Finding(NamedTuple):
    """What one check says."""

    check: str  # what was looked at
    status: str  # OK; NOTE: worth knowing, the run will work; PROBLEM: it will not
    says: str  # what was found and what to do


def check_project(
    *, folder: Path = Path("."), config: Iterable[tuple[str, Any]] = (), out: Path | None = None
) -> None:
    """Before a run: what is missing, what does not fit, how long it will take.

    Ends with 0 if all is well, 1 if something was found, 2 after bad input.

    Parameters
    ----------
    folder
        The project's folder, with params.yaml.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    out
        JSON file to write as well.
    """
    report = check(folder, config)
    if out is not None:
        write_json(out, report)
    print(as_text(report), end="")
    if report["found"]:
        sys.exit(1)


def check(folder: Path, config: Config, machine: Machine | None = None) -> Report:
    """The report for JSON: ``findings``, ``jobs``, those that run ``at_once``, ``seconds_left``,
    and whether a problem is ``found``; by default for this machine.
    """
    from snakemake.utils import available_cpu_count

    settings = settings_in(folder, config)
    machine = machine or Machine(available_cpu_count(), gpus_here())
    compute = settings.compute
    at_once, jobs, findings = machine.at_once(compute), [], []
    with chdir(folder):  # the graph's paths are relative to it
        try:
            graph = graph_of(settings)
            asked = graph.asked(settings.results)
        except InputError as error:  # such as a directory without documents
            findings.append(Finding("dataset", PROBLEM, str(error)))
        else:
            findings += [*data(graph, asked), encoder(graph)]
            jobs = plan(graph, machine, asked)
    findings += [Finding("account", PROBLEM, says) for says in lacking()]
    findings.append(_device(compute, machine))
    return {
        "preset": settings.preset,
        "dataset": settings.dataset,
        "findings": [finding._asdict() for finding in findings],
        "jobs": [
            {"stage": job.artifact.rule, "job": job.artifact.name, "jobs": job.count,
             "done": job.count - job.left, "seconds_left": job.seconds * job.left}
            for job in jobs
        ],
        "at_once": at_once,
        "seconds_left": together([job.seconds for job in jobs for _ in range(job.left)], at_once),
        "found": any(finding.status == PROBLEM for finding in findings),
    }  # fmt: skip


def data(graph: Graph, asked: Sequence[Artifact]) -> Iterator[Finding]:
    """Whether the data and published weights are here, or can be made or downloaded."""
    settings = graph.settings
    if not any(artifact.kind == "raw" for artifact in asked):
        wrong = [] if _all_there(graph.corpus.files) else mistakes(Path(settings.dataset), MISTAKES)
        yield from (Finding("dataset", PROBLEM, says) for says in wrong)
        if len(wrong) == MISTAKES:
            yield Finding("dataset", NOTE, "These are the first mistakes; more may follow.")
        elif not wrong:
            yield Finding("dataset", OK, f"{settings.dataset}: is here")
    for artifact in asked:
        name, files = artifact.name, artifact.files
        if isinstance(source := artifact.inputs.get("checkpoint"), str):
            yield _from_elsewhere(name, [source], f"models.{name}.checkpoint", source)
        elif artifact.rule == "download":
            place = settings.download
            yield _from_elsewhere(name, files, "download.source", place.source, place.url)
        elif artifact.kind == "raw":
            name, source = artifact.rule, artifact.options["settings"]["source"]
            yield _from_elsewhere(name, files, f"linking.source.{name}", source)


def _from_elsewhere(
    name: str, files: Sequence[str], key: str, source: str | None, url: str | None = None
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


def _device(compute: Compute, machine: Machine) -> Finding:
    threads, processes = compute.threads, compute.processes
    gpu = machine.gives_gpu(compute)
    if compute.device == "cuda" and not machine.gpus:
        return Finding("device", PROBLEM, "compute.device is cuda, and there is no GPU here.")
    if gpu and processes > machine.gpus:
        says = f"compute.processes is {processes}, one a GPU, and there are {machine.gpus}."
        return Finding("device", PROBLEM, says)
    if not gpu and threads * processes > machine.cores:
        says = f"compute.threads x processes is {threads * processes}, more than the cores."
        return Finding("device", NOTE, says)
    where = counted(machine.gpus, "GPU") if gpu else f"{counted(machine.cores, 'core')}, no GPU"
    jobs = f"{counted(machine.at_once(compute), 'job')} of {counted(threads, 'thread')}"
    return Finding("device", OK, f"{where}; {jobs} at a time")


def as_text(report: Mapping[str, Any]) -> str:
    """The report for people."""
    findings = report["findings"]
    problems = sum(finding["status"] == PROBLEM for finding in findings)
    lines = [
        f"Before a run of preset {report['preset']} on {report['dataset']}:",
        "",
        *aligned([(finding["status"], finding["check"], finding["says"]) for finding in findings]),
        "",
        *_stages(report),
        "",
        f"Problems: {problems}" if problems else "Nothing stands in the way.",
    ]
    return "\n".join(lines) + "\n"


def _stages(report: Mapping[str, Any]) -> list[str]:
    """Lines with what each stage takes."""
    if not report["jobs"]:
        return ["The data are not counted yet: sizes and times follow once there is a corpus."]
    rows, sums = [("stage", "jobs", "done", "left")], ("jobs", "done", "seconds_left")
    for stage in dict.fromkeys(job["stage"] for job in report["jobs"]):
        of_stage = [job for job in report["jobs"] if job["stage"] == stage]
        jobs, done, left = (sum(job[key] for job in of_stage) for key in sums)
        rows.append((stage, str(jobs), str(done), duration(left) if left else "-"))
    return [
        *aligned(rows, right=(1, 2)),
        "",
        f"Left: about {duration(report['seconds_left'])}, {counted(report['at_once'], 'job')} at a "
        "time, by costs measured on another machine",
        "and with texts as long as settings allow.",
    ]
