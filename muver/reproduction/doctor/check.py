"""Before a run: whether everything is there and fits this machine, and how long it will take."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from muver.io.errors import InputError
from muver.io.progress import duration
from muver.io.text import aligned, size
from muver.reproduction.doctor import account, tell
from muver.reproduction.doctor.inputs import NOTE, OK, PROBLEM, Finding, data, encoder
from muver.reproduction.estimate.plan import Job, plan, together
from muver.reproduction.settings.resolve import settings_in
from muver.reproduction.workspace import graph_of
from muver.retriever.encoders.settings import Compute

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


def check_project(
    *, folder: Path = Path("."), config: Iterable[tuple[str, Any]] = (), out: Path | None = None
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
    machine = machine or this_machine(folder / "build" / settings.workspace)
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
            jobs = plan(graph, machine.gives_gpu(compute), asked)
    findings += [Finding("account", PROBLEM, says) for says in account.lacking()]
    findings += [Finding("account", NOTE, says) for says in account.hindering()]
    findings.append(_device(compute, machine))
    left = [job for job in jobs for _ in range(job.left)]
    findings += needs(left, machine, at_once) if jobs else []
    return {
        "preset": settings.preset,
        "dataset": settings.dataset,
        "findings": [finding._asdict() for finding in findings],
        "jobs": [_described(job) for job in jobs],
        "at_once": at_once,
        "seconds_left": together([job.seconds for job in left], at_once),
        "found": any(finding.status == PROBLEM for finding in findings),
    }


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
