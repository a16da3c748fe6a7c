"""Disk, memory and time of a run by stage, and what does not fit here."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from muver.io.progress import duration, logger
from muver.io.text import aligned, size
from muver.reproduction.estimate.jobs import Job, expected, list_jobs
from muver.reproduction.estimate.machine import Machine
from muver.reproduction.estimate.rates import Rates, assumed, measure
from muver.reproduction.workspace import Graph

ENVIRONMENT = 2 * 2**30  # bytes of memory for the system and the libraries of other jobs
HEAD = ("stage", "jobs", "done", "disk", "memory", "those took", "left", "longest left")
Report = dict[str, Any]


def project(graph: Graph, machine: Machine, measured: bool, rates: Rates | None = None) -> Report:
    """What the settings' results take on a machine, as JSON has it.

    Parameters
    ----------
    measured
        Whether to measure the machine's ``rates`` in some seconds, unless they are given; else they
        are assumed.
    """
    compute = graph.settings.compute
    gpu, at_once = machine.gives_gpu(compute), machine.at_once(compute)
    run = list_jobs(graph, gpu)
    if rates is None and measured and run.jobs:
        logger.info("measuring rates, in some seconds")
        rates = measure(run.encoder, compute)
    rates = rates or assumed(run.encoder, compute, gpu)
    seconds = expected(run.jobs, rates)
    left = [job for job in run.jobs for _ in range(job.left)]
    each = [seconds[job.key] for job in left]
    return {
        "machine": asdict(machine),
        "encoder": run.encoder.as_dict(),
        "counts": run.counts,
        "rates": rates._asdict(),
        "at_once": at_once,
        "jobs": [_described(job, seconds[job.key]) for job in run.jobs],
        "seconds_left": max(sum(each) / at_once, max(each, default=0.0)),
        "needs": _needs(left, machine, at_once) if run.counts else {},
    }


def _needs(left: Sequence[Job], machine: Machine, at_once: int) -> dict[str, Report]:
    """Disk and memory that the jobs that are left need, and that there is."""

    def largest(key: str) -> float:
        return sum(sorted((getattr(job, key) for job in left), reverse=True)[:at_once])

    disk, memory = sum(job.disk for job in left) + largest("passing"), largest("memory")
    free, beside = f"free in {machine.folder}", f"there, with {at_once} jobs at a time"
    return {
        "disk": _need(disk, machine.room, free),
        "memory": _need(memory + ENVIRONMENT, machine.memory, beside),
    }


def _need(needed: float, there: float, where: str) -> Report:
    says = (
        f"{size(needed)} needed, {size(there)} {where}{'' if needed <= there else ': too little'}"
    )
    return {"needed": needed, "there": there, "enough": needed <= there, "says": says}


def _described(job: Job, seconds: float) -> Report:
    """A job for JSON: disk and seconds of all that are alike, memory of one."""
    return {
        "stage": job.of.rule,
        "job": job.of.name,
        "jobs": job.count,
        "done": job.done,
        "disk": int(job.disk * job.count),
        "memory": int(job.memory),
        "took_seconds": list(job.took),
        "seconds_left": seconds * job.left,
    }


def told(report: Mapping[str, Any]) -> list[str]:
    """Lines with what each stage takes, and what the numbers are made of."""
    if report["counts"] is None:
        return ["The data are not counted yet: sizes and times follow once there is a corpus."]
    stages: dict[str, list[Mapping[str, Any]]] = {}
    for job in report["jobs"]:
        stages.setdefault(job["stage"], []).append(job)
    rates = report["rates"]
    return [
        *aligned([HEAD, *(_row(*own) for own in stages.items())], right=(1, 2, 3, 4)),
        "",
        f"Left: about {duration(report['seconds_left'])}, {report['at_once']} jobs at a time.",
        f"Roughly: counts {report['counts']}, the longest texts that settings allow, encoding "
        f"{rates['encoding']:,.0f}",
        f"and training {rates['training']:,.0f} tokens a second ({rates['origin']}); finished jobs "
        "correct the others.",
    ]


def _row(stage: str, jobs: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    def total(key: str) -> float:
        return sum(job[key] for job in jobs)

    took = [seconds for job in jobs for seconds in job["took_seconds"]]
    last, left = max(jobs, key=lambda job: job["seconds_left"]), total("seconds_left")
    return (
        stage,
        str(total("jobs")),
        str(total("done")),
        size(total("disk")),
        size(max(job["memory"] for job in jobs)),
        f"{duration(sum(took))} ({len(took)})" if took else "-",
        duration(left) if left else "-",
        f"{last['job']} {duration(last['seconds_left'])}".lstrip() if left else "-",
    )
