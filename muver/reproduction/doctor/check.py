"""Before a run: whether everything is there and fits this machine, and how long it will take."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.progress import duration
from muver.io.text import aligned, counted
from muver.reproduction.doctor.inputs import (
    NOTE,
    OK,
    PROBLEM,
    Finding,
    data,
    encoder,
    lacking,
)
from muver.reproduction.doctor.plan import Job, plan, together
from muver.reproduction.settings.resolve import settings_in
from muver.reproduction.workspace import graph_of
from muver.retriever.encoders.encoders_settings import Compute

Report = dict[str, Any]


class Machine(NamedTuple):
    """The processor cores and GPUs that a run can use."""

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


def this_machine() -> Machine:
    """The machine this runs on, with Snakemake's cores."""
    from snakemake.utils import available_cpu_count

    gpus = sum(path.name[6:].isdigit() for path in Path("/dev").glob("nvidia*"))
    return Machine(available_cpu_count(), gpus)


def check_project(
    *, folder: Path = Path("."), config: Iterable[tuple[str, Any]] = (), out: Path | None = None
) -> None:
    """Print whether a run can begin, and how long its stages take.

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
    report = check(folder, dict(config))
    if out is not None:
        write_json(out, report)
    print(as_text(report), end="")
    if report["found"]:
        sys.exit(1)


def check(folder: Path, overrides: Mapping[str, Any], machine: Machine | None = None) -> Report:
    """The report for JSON: ``findings``, ``jobs``, those that run ``at_once``, ``seconds_left``,
    and whether a problem is ``found``; by default for this machine.
    """
    settings = settings_in(folder, overrides)
    machine = machine or this_machine()
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
    findings += [Finding("account", PROBLEM, says) for says in lacking()]
    findings.append(_device(compute, machine))
    left = [job for job in jobs for _ in range(job.left)]
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
    where = counted(machine.gpus, "GPU") if gpu else f"{counted(machine.cores, 'core')}, no GPU"
    at_once = machine.at_once(compute)
    return Finding(
        "device",
        OK,
        f"{where}; {counted(at_once, 'job')} of {counted(threads, 'thread')} at a time",
    )


def _described(job: Job) -> Report:
    """A job for JSON: seconds of all that are alike."""
    return {
        "stage": job.artifact.rule,
        "job": job.artifact.name,
        "jobs": job.count,
        "done": job.count - job.left,
        "seconds_left": job.seconds * job.left,
    }


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
    stages: dict[str, Counter[str]] = {}
    for job in report["jobs"]:
        counts = {name: number for name, number in job.items() if name not in ("stage", "job")}
        stages.setdefault(job["stage"], Counter()).update(counts)
    rows = [("stage", "jobs", "done", "left")]
    for stage, sums in stages.items():
        left = duration(sums["seconds_left"]) if sums["seconds_left"] else "-"
        rows.append((stage, str(sums["jobs"]), str(sums["done"]), left))
    return [
        *aligned(rows, right=(1, 2)),
        "",
        f"Left: about {duration(report['seconds_left'])}, {counted(report['at_once'], 'job')} at a "
        "time, by costs measured on another machine",
        "and with texts as long as settings allow.",
    ]
