"""Before a run: whether everything is there and fits this machine, and how long it will take."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from muver.io.errors import InputError
from muver.io.progress import duration
from muver.io.text import aligned, size
from muver.kb.importing.corpus import mistakes
from muver.reproduction.doctor import account, tell
from muver.reproduction.estimate.plan import Job, plan, together
from muver.reproduction.settings.resolve import settings_in
from muver.reproduction.workspace import Artifact, Graph, graph_of
from muver.retriever.corpus.sources import find_source
from muver.retriever.encoders import hub
from muver.retriever.encoders.settings import Compute

OK, NOTE, PROBLEM = "ok", "note", "PROBLEM"
MISTAKES = 10  # of a dataset that are told
ENVIRONMENT = 2 * 2**30  # bytes of memory for the system and the libraries of other jobs
HEAD = ("stage", "jobs", "done", "disk", "memory", "left")
Report = dict[str, Any]


class Machine(NamedTuple):
    """What a run is compared with."""

    folder: str  # where the run writes
    memory: int  # bytes of main memory
    room: int  # bytes of disk that are free for the folder
    cores: int
    gpus: int

    def gives_gpu(self, compute: Compute) -> bool:
        """Whether jobs that run a model get a GPU, which with ``cuda`` may be another machine's."""
        return compute.device == "cuda" or (self.gpus > 0 and compute.device == "auto")

    def at_once(self, compute: Compute) -> int:
        """Jobs that run beside each other with ``--cores all``: one on GPUs, else by threads."""
        if self.gives_gpu(compute):
            return 1
        return max(self.cores // (compute.threads * compute.processes), 1)


def this_machine(folder: Path) -> Machine:
    """The machine this runs on, with Snakemake's cores; the folder need not exist yet."""
    from snakemake.utils import available_cpu_count

    existing = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
    return Machine(
        folder=str(folder),
        memory=psutil.virtual_memory().total,
        room=psutil.disk_usage(str(existing)).free,
        cores=available_cpu_count(),
        gpus=sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia*")),
    )


class Finding(NamedTuple):
    """What one check says."""

    check: str  # what was looked at
    status: str  # OK; NOTE: worth knowing, the run will work; PROBLEM: it will not
    says: str  # what was found and what to do


def check_project(
    *,
    folder: Path = Path("."),
    config: Iterable[tuple[str, Any]] = (),
    out: Path | None = None,
) -> None:
    """Print whether a run can begin, and what disk, memory and time its stages take.

    Ends with 0 if all is well, 1 if something was found, 2 after bad input.

    Parameters
    ----------
    folder
        The project's, with params.yaml.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    out
        JSON file to write as well.
    """
    report = check(folder, dict(config))
    tell(report, as_text(report), out)


def check(folder: Path, overrides: Mapping[str, Any], machine: Machine | None = None) -> Report:
    """The report for JSON: ``findings``, ``jobs``, those that run ``at_once``, ``seconds_left``,
    and whether a problem is ``found``; by default for this machine.
    """
    settings = settings_in(folder, overrides)
    compute, machine = (
        settings.compute,
        machine or this_machine(folder / "build" / settings.workspace),
    )
    at_once, jobs, findings = machine.at_once(compute), [], []
    with chdir(folder):  # the graph's paths are relative to it
        try:
            graph = graph_of(settings)
            asked = graph.asked(settings.results)
        except InputError as error:  # such as a directory without documents
            findings.append(Finding("dataset", PROBLEM, str(error)))
        else:
            findings += [*data(graph, asked), encoder(graph)]
            jobs = plan(graph, machine.gives_gpu(compute), asked)
    findings += [Finding("account", PROBLEM, says) for says in account.lacking()]
    findings += [Finding("account", NOTE, says) for says in account.hindering()]
    findings.append(_device(compute, machine))
    left = [job for job in jobs for _ in range(job.left)]
    if jobs:
        findings += needs(left, machine, at_once)
    return {
        "preset": settings.preset,
        "dataset": settings.dataset,
        "findings": [finding._asdict() for finding in findings],
        "jobs": [_described(job) for job in jobs],
        "at_once": at_once,
        "seconds_left": together([job.seconds for job in left], at_once),
        "found": any(finding.status == PROBLEM for finding in findings),
    }


def data(graph: Graph, asked: Sequence[Artifact]) -> list[Finding]:
    """Whether the data and published weights are here, or can be made or downloaded."""
    settings, found = graph.settings, []
    if not any(one.kind == "raw" for one in asked):
        wrong = [] if _all_there(graph.corpus.files) else mistakes(Path(settings.dataset), MISTAKES)
        found += [Finding("dataset", PROBLEM, says) for says in wrong]
        if len(wrong) == MISTAKES:
            found.append(Finding("dataset", NOTE, "These are the first mistakes; more may follow."))
        if not wrong:
            found.append(Finding("dataset", OK, f"{settings.dataset}: is here"))
    for one in asked:
        name = "blink_benchmarks" if one.rule == "benchmarks" else one.rule
        files, key, source, url = one.files, f"linking.source.{name}", None, None
        if one.rule == "download":
            name, key = one.name, "download.source"
            source, url = settings.download.source, settings.download.url
        elif one.rule == "convert":
            name, key, source = one.name, f"models.{one.name}.checkpoint", one.inputs["checkpoint"]
            files = [source]
            if settings.over_kb and source == graph.download("blink_biencoder").path:
                name, source = "blink_biencoder", settings.linking.source.blink_biencoder
        elif one.kind == "raw":
            source = getattr(settings.linking.source, name)
        else:
            continue
        found.append(_from_elsewhere(name, files, key, source, url))
    return found


def _from_elsewhere(
    name: str, files: Sequence[str], key: str, source: str | None, url: str | None
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
    if hub.place(name).is_dir() or hub.cached(name):
        return Finding("encoder", OK, f"{name}: is on this machine")
    return Finding("encoder", NOTE, f"{name} will be taken from the hub: needs the network.")


def _all_there(files: Sequence[str]) -> bool:
    return all(Path(file).exists() for file in files)


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
    where = f"{machine.gpus} GPUs" if gpu else f"{machine.cores} cores, no GPU"
    at_once = machine.at_once(compute)
    return Finding("device", OK, f"{where}; {at_once} jobs of {threads} threads at a time")


def needs(left: Sequence[Job], machine: Machine, at_once: int) -> list[Finding]:
    """Whether there is the disk and the memory that the jobs that are left need."""

    def largest(sizes: Iterable[float]) -> float:
        return sum(sorted(sizes, reverse=True)[:at_once])

    disk = sum(job.disk for job in left) + largest(job.passing for job in left)
    memory = ENVIRONMENT + largest(job.memory for job in left)
    found = []
    for what, needed, there, where in (
        ("disk", disk, machine.room, f"free in {machine.folder}"),
        ("memory", memory, machine.memory, f"there, with {at_once} jobs at a time"),
    ):
        status, end = (OK, "") if needed <= there else (PROBLEM, ": too little")
        found.append(Finding(what, status, f"{size(needed)} needed, {size(there)} {where}{end}"))
    return found


def _described(job: Job) -> Report:
    """A job for JSON: disk and seconds of all that are alike, memory of one."""
    return {
        "stage": job.of.rule,
        "job": job.of.name,
        "jobs": job.count,
        "done": job.count - job.left,
        "disk": int(job.disk * job.count),
        "memory": int(job.memory),
        "seconds_left": job.seconds * job.left,
    }


def as_text(report: Mapping[str, Any]) -> str:
    """The report for people."""
    problems = sum(one["status"] == PROBLEM for one in report["findings"])
    lines = [
        f"Before a run of preset {report['preset']} on {report['dataset']}:",
        "",
        *aligned([(one["status"], one["check"], one["says"]) for one in report["findings"]]),
        "",
        *told(report),
        "",
        f"Problems: {problems}" if problems else "Nothing stands in the way.",
    ]
    return "\n".join(lines) + "\n"


def told(report: Mapping[str, Any]) -> list[str]:
    """Lines with what each stage takes."""
    if not report["jobs"]:
        return ["The data are not counted yet: sizes and times follow once there is a corpus."]
    stages: dict[str, list[Mapping[str, Any]]] = {}
    for job in report["jobs"]:
        stages.setdefault(job["stage"], []).append(job)
    return [
        *aligned([HEAD, *(_row(*own) for own in stages.items())], right=(1, 2, 3, 4)),
        "",
        f"Left: about {duration(report['seconds_left'])}, {report['at_once']} jobs at a time, by "
        "costs measured on another machine",
        "and with texts as long as settings allow.",
    ]


def _row(stage: str, jobs: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    number, done, disk, left = (
        sum(job[key] for job in jobs) for key in ("jobs", "done", "disk", "seconds_left")
    )
    memory = size(max(job["memory"] for job in jobs))
    return stage, str(number), str(done), size(disk), memory, duration(left) if left else "-"
