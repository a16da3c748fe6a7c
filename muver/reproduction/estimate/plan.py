"""What `muver plan` does: disk, memory and hours of each job, and what does not fit here."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir
from dataclasses import asdict
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import write_manifest
from muver.io.text import aligned, gigabytes
from muver.io.typed import suggestion
from muver.reproduction.estimate.jobs import Job, disk_needed, list_jobs
from muver.reproduction.estimate.machine import Machine, this_machine
from muver.reproduction.estimate.rates import Rate, Rates
from muver.reproduction.estimate.settings import GivenRates, Plan
from muver.reproduction.estimate.sizes import dump_file
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of

HEAD = ("stage", "job", "jobs", "disk GB", "sizes", "memory GB", "GPU GB", "hours", "rate", "index")
NOTES = """\
Hours are projected from the rate beside them; - where none is known.
Memory is projected, of one job, without what Python and its libraries take."""


def plan(
    *,
    asked: Plan,
    out: Path,
    folder: Path = Path("."),
    config: Iterable[tuple[str, Any]] = (),
    disk: Path | None = None,
    measured: bool = False,
    model: Path | None = None,
    kb: Path | None = None,
    dump: Path | None = None,
) -> None:
    """Print what a run takes, and write it as JSON.

    Parameters
    ----------
    asked
        ``indices`` are types to compare.
    out
        JSON file to write.
    folder
        The project's, with params.yaml.
    config
        Settings that replace those of params.yaml; by default those of the preset wikipedia.
    disk
        The folder whose disk is looked at; by default that of the run.
    measured
        Measure rates on this machine, in some seconds.
    model
        Model or BERT directory: the encoder's sizes.
    kb
        Knowledge base, or some parts of one: its sizes.
    dump
        kilt_knowledgesource.json: its size.
    """
    overrides = {"preset": "wikipedia", **dict(config)}
    settings = resolve(read_params(folder / "params.yaml"), overrides)
    _check_names(asked.rates, settings["models"], [*asked.indices, *settings["linking"]["indexes"]])
    machine = this_machine(disk or folder / "build" / settings["workspace"])
    given = {"model": model, "kb": kb, "dump": dump}
    files = {name: path and path.absolute() for name, path in given.items()}
    rates = Rates()
    with chdir(folder):  # the graph's paths are relative to it
        graph = graph_of(settings)
        run = list_jobs(graph, machine.gives_gpu(settings["compute"]), asked, **files)
        if measured:
            dump = files.get("dump") or dump_file(graph)
            rates = run.measure(settings["compute"], asked.seconds, dump)
    rates = rates.given(_by_kind(asked.rates))
    jobs = [with_hours(job.as_dict(rates), asked) for job in run.jobs]
    together = machine.at_once(settings["compute"])
    totals = disk_totals(run.jobs, asked.indices if run.base else [], together)
    misfits = unfit(run.jobs, totals, machine)
    write_manifest(
        out,
        "plan",
        asked.as_dict(),
        {},
        preset=settings["preset"],
        machine=asdict(machine),
        encoder={**run.encoder.as_dict(), "known_from": run.encoder_from},
        base=asdict(run.base) if run.base else None,
        rates=rates.as_dict(),
        stages=jobs,
        totals=totals,
        unfit=misfits,
    )
    origins = (
        f"The encoder's sizes: {run.encoder_from}. Counts: {run.counts}. Lengths: {run.lengths}."
    )
    room = (
        f"this machine: {gigabytes(machine.memory)} GB of memory, {machine.cores} cores, "
        f"{machine.gpus} GPUs; room for {gigabytes(machine.room)} GB in {machine.folder}"
    )
    sums = [f"disk with {what}: {gigabytes(size)} GB" for what, size in totals.items()]
    lines = aligned([HEAD, *map(_cells, jobs)], right=(2, 3, 5, 6, 7))
    fits = misfits or ["Everything fits this machine."]
    print("\n".join([*lines, "", origins, NOTES, "", *sums, "", room, *fits]))


def disk_totals(jobs: Sequence[Job], indices: Sequence[str], at_once: int) -> dict[str, float]:
    """Bytes without the types of indices that are compared, and with each of these."""
    of_kind: dict[str, list[Job]] = {kind: [] for kind in ("", *indices)}
    for job in jobs:
        kind = job.estimate.work[0].name if job.stage == "index" else ""
        of_kind[kind if kind in indices else ""].append(job)
    rest = of_kind.pop("")
    needed = {kind: disk_needed([*rest, *own], at_once) for kind, own in of_kind.items()}
    return {"no index": disk_needed(rest, at_once), **needed}


def unfit(jobs: Sequence[Job], totals: Mapping[str, float], machine: Machine) -> list[str]:
    """A sentence for each job or total that this machine's disk or memory does not hold."""
    too_large = [
        f"Disk: the run with {what} takes {gigabytes(size)} GB, {machine.folder} has room for "
        f"{gigabytes(machine.room)} GB."
        for what, size in totals.items()
        if size > machine.room
    ]
    return too_large + [
        f"Memory: {job.stage} {job.name} takes {gigabytes(job.estimate.memory)} GB, this machine "
        f"has {gigabytes(machine.memory)} GB."
        for job in jobs
        if job.estimate.memory > machine.memory
    ]


def _check_names(rates: GivenRates, models: Iterable[str], indices: Sequence[str]) -> None:
    allowed = {"encode": [*models], "build": indices, "search": [*indices, "exact"]}
    for kind, names in allowed.items():
        for name in getattr(rates, kind):
            if name not in names:
                raise InputError(
                    f"--settings: rates.{kind}: unknown name {name!r}{suggestion(name, names)}"
                )


def _by_kind(rates: GivenRates) -> dict[str, dict[str, Rate]]:
    """Given rates by kind of work and name."""
    units = {"encode": "views", "build": "views", "search": "mentions"}
    found = {
        kind: {name: Rate(value, unit, "given") for name, value in getattr(rates, kind).items()}
        for kind, unit in units.items()
    }
    return {**found, "read": {"": Rate(rates.read, "MB", "given")} if rates.read else {}}


def with_hours(job: dict[str, Any], asked: Plan) -> dict[str, Any]:
    """The hours that all of these jobs take, as many at once as there are processes or devices."""
    at_once = min(asked.workers if job["stage"] == "kb_part" else asked.devices, job["jobs"])
    return {**job, "hours": job["seconds"] and job["seconds"] / at_once / 3600}


def _cells(job: Mapping[str, Any]) -> tuple[str, ...]:
    rate = job["rate"]
    disk, memory, on_gpu = (
        gigabytes(job[key]) if job[key] else "" for key in ("disk", "memory", "gpu_memory")
    )
    return (
        job["stage"],
        job["job"],
        str(job["jobs"]),
        disk,
        job["size_origin"] if disk else "",
        memory,
        on_gpu,
        "-" if job["hours"] is None else f"{job['hours']:.3g}",
        f"{rate['value']:.4g} {rate['unit']}/s, {rate['origin']}" if rate else "-",
        job["index"],
    )
