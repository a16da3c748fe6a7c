"""Before a run: is everything there, does it fit, and how long will it take?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from muver.doctor import environment, inputs
from muver.doctor.finding import NOTE, OK, PROBLEM, Finding
from muver.doctor.rates import Rates, measure
from muver.doctor.sizes import Data, data_counts, encoder_sizes
from muver.doctor.work import Job, jobs, origin, training_memory
from muver.io.errors import InputError
from muver.io.progress import logger
from muver.plan.machine import Machine, this_machine
from muver.settings import resolve
from muver.settings.file import read_params
from muver.settings.linked import is_linked
from muver.workspace.needs import Needs, needs_of

ENVIRONMENT = 2 * 2**30  # bytes of memory for the system and for libraries of other jobs
SECONDS = 6.0
BUSY = 0.8  # share of the processor below which others are told of


def check(
    folder: Path,
    overrides: Mapping[str, Any],
    *,
    measured: bool = True,
    machine: Machine | None = None,
    rates: Rates | None = None,
) -> dict[str, Any]:
    """Check a project's folder against its params.yaml.

    Parameters
    ----------
    folder
        It holds params.yaml.
    overrides
        What the command line sets, as ``snakemake --config`` takes it.
    measured
        Import the libraries and measure rates, which takes some seconds.
    machine, rates
        What is there and how fast it is; probed and measured by default.

    Returns
    -------
    The report, as JSON has it: ``findings``, ``jobs``, ``rates`` and totals; ``found`` says
    whether something is a problem.

    Raises
    ------
    InputError
        If there is no params.yaml, or the settings are not allowed.
    """
    settings = resolve(read_params(folder / "params.yaml"), overrides)
    needs = needs_of(settings, settings["results"])
    found = [environment.python_version(), environment.locked(folder / "requirements")]
    if measured:
        found.append(environment.importable())
    if is_linked(settings):
        found += inputs.knowledge_base(settings, folder)
    else:
        found += [inputs.dataset(settings, folder), inputs.punkt(settings, folder)]
    found += [
        inputs.encoder(settings, folder),
        *inputs.checkpoints(settings, needs, folder),
        *inputs.writable(folder),
        inputs.lock(folder),
    ]
    machine = machine or this_machine(folder / "build" / settings["workspace"])
    found.append(_device(settings["compute"], machine))
    sizes, known = encoder_sizes(settings, folder)
    data = None if is_linked(settings) else data_counts(settings, folder)
    work = [] if data is None else jobs(settings, needs, data, sizes, folder)
    if data is None:
        says = "the data are not counted yet: sizes and times follow once the corpus stage has run"
        if is_linked(settings):
            says = "muver plan tells the sizes and times of a knowledge base"
        found.append(Finding("data", NOTE, says))
    else:
        found.append(_disk(work, machine))
        found.append(_memory(settings, needs, sizes, folder, machine))
    if rates is None and measured and work:
        logger.info("measuring rates, some %d s", SECONDS)
        rates = _measured(settings["compute"], sizes, work)
    if rates is not None and rates.share < BUSY:
        says = (
            f"busy: measuring got {rates.share:.0%} of the time it asked for. Times below are for "
            "a machine that has nothing else to do."
        )
        found.append(Finding("load", NOTE, says))
    return {
        "preset": settings["preset"],
        "dataset": settings["dataset"],
        "machine": {"cores": machine.cores, "memory": machine.memory, "gpus": machine.gpus},
        "findings": [finding._asdict() for finding in found],
        "encoder": {**sizes, "known_from": known},
        **_plan(settings, needs, data, work, rates, machine, folder),
        "found": any(finding.status == PROBLEM for finding in found),
    }


def overrides_of(pairs: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` as ``snakemake --config`` reads it: the value is YAML.

    Raises
    ------
    InputError
        For a pair without ``=``, or a value that is no YAML.
    """
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InputError(f"--config {pair}: expected KEY=VALUE.")
        try:
            found[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InputError(f"--config {key}: {value!r} is not YAML ({error}).") from None
    return found


def at_once(compute: Mapping[str, Any], machine: Machine) -> int:
    """Jobs that run beside each other with ``--cores all``: one a GPU's turn, else by threads."""
    if machine.gpus and compute["device"] != "cpu":
        return 1
    return max(machine.cores // (compute["threads"] * compute["processes"]), 1)


def _device(compute: Mapping[str, Any], machine: Machine) -> Finding:
    device, threads, processes = (compute[key] for key in ("device", "threads", "processes"))
    if device == "cuda" and not machine.gpus:
        return Finding("device", PROBLEM, "compute.device is cuda, and there is no GPU here.")
    uses_gpu = machine.gpus > 0 and device != "cpu"
    if uses_gpu and processes > machine.gpus:
        says = f"compute.processes is {processes}, one a GPU, and there are {machine.gpus}."
        return Finding("device", PROBLEM, says)
    if not uses_gpu and threads * processes > machine.cores:
        says = (
            f"compute.threads x processes is {threads * processes}, and there are {machine.cores} "
            "cores: jobs wait for each other."
        )
        return Finding("device", NOTE, says)
    where = f"{machine.gpus} GPUs" if uses_gpu else f"{machine.cores} cores, no GPU"
    together = at_once(compute, machine)
    return Finding("device", OK, f"{where}; {together} jobs of {threads} threads at a time")


def _disk(work: Sequence[Job], machine: Machine) -> Finding:
    need = sum(job.bytes for job in work)
    says = f"{_bytes(need)} needed in {machine.folder} (projected), {_bytes(machine.room)} there"
    if need > machine.room:
        return Finding("disk", PROBLEM, f"{says}. Free some, or ask for fewer results.")
    return Finding("disk", OK, says)


def _memory(
    settings: dict[str, Any],
    needs: Needs,
    sizes: Mapping[str, int],
    folder: Path,
    machine: Machine,
) -> Finding:
    compute = settings["compute"]
    if machine.gpus and compute["device"] != "cpu":
        says = "training takes the GPU's memory, and smaller passes where that does not suffice"
        return Finding("memory", OK, says)
    one = training_memory(settings, needs, sizes, folder)
    together = at_once(compute, machine)
    need = one * together * compute["processes"] + ENVIRONMENT
    says = (
        f"{_bytes(need)} needed by {together} trainings at a time (projected), "
        f"{_bytes(machine.memory)} there"
    )
    if need > machine.memory:
        says += ". Lower training.graph_tokens, or run fewer jobs at a time (--cores)."
        return Finding("memory", PROBLEM, says)
    return Finding("memory", OK, says)


def _measured(
    compute: Mapping[str, Any], sizes: Mapping[str, int], work: Sequence[Job]
) -> Rates | None:
    """Rates at the shortest and the longest sequences of the work."""
    asked = sorted({round(job.length) for job in work if job.length})
    lengths = sorted({max(length, 2) for length in (asked[:1] + asked[-1:])})
    try:
        return measure(sizes, compute, lengths, SECONDS) if lengths else None
    except InputError as error:
        logger.warning("rates were not measured: %s", error)
        return None


def _plan(
    settings: dict[str, Any],
    needs: Needs,
    data: Data | None,
    work: Sequence[Job],
    rates: Rates | None,
    machine: Machine,
    folder: Path,
) -> dict[str, Any]:
    rows = []
    for job in work:
        seconds = None if rates is None else job.seconds(rates)
        rows.append(
            {
                "stage": job.stage,
                "job": job.name,
                "done": job.done,
                "projected_seconds": seconds,
                "took_seconds": job.took if job.done else None,
                "bytes": int(job.bytes),
            }
        )
    left = [row["projected_seconds"] for row in rows if not row["done"]]
    together = at_once(settings["compute"], machine)
    total = None
    if rates is not None:
        total = max(sum(left) / together, max(left, default=0.0))
    return {
        "counts": None if data is None else data.origin,
        "lengths": origin(settings, needs, folder),
        "rates": None
        if rates is None
        else {
            "device": rates.device,
            "encoding_tokens_per_second": {str(k): v for k, v in rates.encoding.items()},
            "training_tokens_per_second": {str(k): v for k, v in rates.training.items()},
            "products_per_second": rates.products,
            "share": rates.share,
        },
        "jobs": rows,
        "at_once": together,
        "seconds_left": total,
    }


def _bytes(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
