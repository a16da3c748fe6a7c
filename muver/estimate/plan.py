"""A run before it is begun: disk, memory and hours of each stage, and what does not fit here."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from muver.estimate.jobs import Given, Job, Run, list_jobs
from muver.estimate.machine import Machine, this_machine
from muver.estimate.rates import Rate, Rates, measure
from muver.estimate.sizes import dump_file, sizes_as_dict
from muver.estimate.text import gigabytes, table
from muver.io.errors import InputError
from muver.io.files import write_manifest
from muver.io.typed import Count, Positive, Settings, read, suggestion
from muver.settings import resolve
from muver.settings.file import read_params
from muver.settings.linked import is_linked

HEAD = ("stage", "job", "jobs", "disk GB", "sizes", "memory GB", "GPU GB", "hours", "rate", "index")


class GivenRates(Settings):
    """Rates that are known: MB, views or mentions a second."""

    read: Positive | None = None  # of a process
    encode: dict[str, Positive] = {}  # of a device, by model
    build: dict[str, Positive] = {}  # by type of index
    search: dict[str, Positive] = {}  # by type of index, or "exact"


class Plan(Settings):
    """What a plan is made for, beside params.yaml."""

    entities: Count | None = None  # None: as published, or of --kb
    dump_bytes: Count | None = None
    indices: list[str] = msgspec.field(
        default_factory=lambda: ["ivf_sq", "ivf_sq8", "opq_ivf_pq", "hnsw"]
    )  # types that are compared
    lists: Count | None = None
    training_views: Count | None = None
    workers: Count = 1  # processes that read the dump
    devices: Count = 1  # that run a model, a job each
    rates: GivenRates = GivenRates()
    seconds: Count = 10  # that measuring takes, about


def plan(
    given: Mapping[str, Any],
    folder: Path,
    overrides: Mapping[str, Any],
    out: Path,
    disk: Path | None = None,
    model: Path | None = None,
    kb: Path | None = None,
    dump: Path | None = None,
    measured: bool = False,
) -> str:
    """Plan a run and write it as JSON.

    Parameters
    ----------
    given
        Keys of :class:`Plan`.
    folder
        The project's, with params.yaml.
    overrides
        As ``snakemake --config`` takes them.
    disk
        The folder whose disk is looked at; by default that of the run.
    model, kb, dump
        A model's or a BERT's directory, a knowledge base or some parts of it, and the dump, where
        they are not in the workspace: for their sizes, and to measure.

    Returns
    -------
    The plan to read.

    Raises
    ------
    InputError
        For settings that are not allowed, and for files that are named but missing.
    """
    asked = read(Plan, given)
    settings = resolve(read_params(folder / "params.yaml"), overrides)
    machine = this_machine(disk or folder / "build" / settings["workspace"])
    indices = asked.indices if is_linked(settings) else []
    run = list_jobs(
        settings,
        folder,
        machine.gpus > 0 and settings["compute"]["device"] != "cpu",
        Given(model, kb, dump, asked.entities, asked.dump_bytes, indices, asked.lists,
              asked.training_views),
    )  # fmt: skip
    rates = Rates()
    if measured:
        lengths = lengths_of(run.jobs)
        reads = dump or dump_file(settings, folder)
        rates = measure(run.encoder, settings["compute"], lengths, asked.seconds, reads)
    rates = rates.given(_given(asked, settings))
    rows = [_row(job, rates, asked) for job in run.jobs]
    totals, misfits = disk_totals(run.jobs, indices), unfit(run.jobs, indices, machine)
    write_manifest(
        out,
        "plan",
        asked.as_dict(),
        {},
        preset=settings["preset"],
        machine=asdict(machine),
        encoder={**sizes_as_dict(run.encoder), "known_from": run.encoder_from},
        base=asdict(run.base) if run.base else None,
        rates=rates.as_dict(),
        stages=rows,
        totals=totals,
        unfit=misfits,
    )
    return _text(run, rows, totals, misfits, machine)


def lengths_of(jobs: Sequence[Job]) -> list[int]:
    """The shortest and the longest sequences that the jobs work on."""
    found = sorted({round(work.length) for job in jobs for work in job.estimate.work})
    lengths = [max(length, 2) for length in found if length]
    return sorted({*lengths[:1], *lengths[-1:]})


def disk_totals(jobs: Sequence[Job], indices: Sequence[str]) -> dict[str, float]:
    """Bytes of all but the types of indices that are compared, and with those of each of them."""
    compared = {kind: 0.0 for kind in indices}
    rest = 0.0
    for job in jobs:
        kind = job.estimate.work[0].name if job.stage == "index" else ""
        if kind in compared:
            compared[kind] += job.disk
        else:
            rest += job.disk
    return {"no index": rest, **{kind: rest + size for kind, size in compared.items()}}


def unfit(jobs: Sequence[Job], indices: Sequence[str], machine: Machine) -> list[str]:
    """A sentence for each thing that this machine's disk or memory does not hold."""
    misfits = [
        f"Disk: the run with {what} takes {gigabytes(size)} GB, {machine.folder} has room for "
        f"{gigabytes(machine.room)} GB."
        for what, size in disk_totals(jobs, indices).items()
        if size > machine.room
    ]
    return misfits + [
        f"Memory: {job.stage} {job.name} takes {gigabytes(job.estimate.memory)} GB, this machine "
        f"has {gigabytes(machine.memory)} GB."
        for job in jobs
        if job.estimate.memory > machine.memory
    ]


def _given(asked: Plan, settings: Mapping[str, Any]) -> dict[str, dict[str, Rate]]:
    """Given rates by kind of work and name."""
    rates, kinds = asked.rates, [*asked.indices, *settings["linking"]["indexes"]]
    allowed = {
        "encode": ("views", rates.encode, settings["models"]),
        "build": ("views", rates.build, kinds),
        "search": ("mentions", rates.search, [*kinds, "exact"]),
    }
    found = {"read": {"": Rate(rates.read, "MB", "given")}} if rates.read else {}
    for kind, (unit, own, names) in allowed.items():
        for name in own:
            if name not in names:
                raise InputError(
                    f"--settings: rates.{kind}: unknown name {name!r}{suggestion(name, names)}"
                )
        found[kind] = {name: Rate(value, unit, "given") for name, value in own.items()}
    return found


def _row(job: Job, rates: Rates, asked: Plan) -> dict[str, Any]:
    """A job as JSON has it: bytes of all disk, memory of one, hours of all."""
    seconds = job.estimate.seconds(rates)
    at_once = asked.workers if job.stage == "kb_part" else asked.devices
    rate = None
    if seconds is not None:
        seconds = seconds * job.count / min(at_once, job.count) / 3600
        slowest = job.estimate.work[-1]
        rate = asdict(rates.of(slowest.kind, slowest.name, slowest.length))
    return {
        "stage": job.stage,
        "job": job.name,
        "jobs": job.count,
        "done": job.done,
        "disk": int(job.disk),
        "size_origin": job.origin,
        "memory": int(job.estimate.memory),
        "gpu_memory": int(job.estimate.gpu_memory),
        "hours": seconds,
        "rate": rate,
        "index": job.estimate.note,
    }


def _text(
    run: Run,
    rows: Sequence[Mapping[str, Any]],
    totals: Mapping[str, float],
    misfits: Sequence[str],
    machine: Machine,
) -> str:
    lines = table([HEAD, *map(_cells, rows)], right=(2, 3, 5, 6, 7))
    sums = [f"disk with {what}: {gigabytes(size)} GB" for what, size in totals.items()]
    return "\n".join(
        [
            *lines,
            "",
            f"The encoder's sizes: {run.encoder_from}. Counts: {run.counts}. "
            f"Lengths: {run.lengths}.",
            "Hours are projected from the rate beside them; - where none is known.",
            "Memory is projected, of one job, without what Python and its libraries take.",
            "",
            *sums,
            "",
            f"this machine: {gigabytes(machine.memory)} GB of memory, {machine.cores} cores, "
            f"{machine.gpus} GPUs; room for {gigabytes(machine.room)} GB in {machine.folder}",
            *(misfits or ["Everything fits this machine."]),
        ]
    )


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    rate = row["rate"]
    disk, memory, on_gpu = (
        gigabytes(row[key]) if row[key] else "" for key in ("disk", "memory", "gpu_memory")
    )
    return (
        row["stage"],
        row["job"],
        str(row["jobs"]),
        disk,
        row["size_origin"] if disk else "",
        memory,
        on_gpu,
        "-" if row["hours"] is None else f"{row['hours']:.3g}",
        f"{rate['value']:.4g} {rate['unit']}/s, {rate['origin']}" if rate else "-",
        row["index"],
    )
