"""Before a run: whether everything is there and fits this machine, and how long it will take."""

from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.progress import logger
from muver.io.text import size
from muver.reproduction.doctor import environment, inputs
from muver.reproduction.doctor.finding import NOTE, OK, PROBLEM, Finding
from muver.reproduction.estimate.jobs import Job, Run, disk_needed, list_jobs
from muver.reproduction.estimate.machine import Machine, this_machine
from muver.reproduction.estimate.rates import Rates
from muver.reproduction.estimate.sizes import dump_file
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of
from muver.retriever.encoders.sizes import BertConfig

ENVIRONMENT = 2 * 2**30  # bytes of memory for the system and the libraries of other jobs
SECONDS = 6.0
BUSY = 0.8  # share of the processor below which other programs are mentioned


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
    overrides
        What the command line sets, as ``snakemake --config`` takes it.
    measured
        Import the libraries and measure rates, which takes some seconds.
    machine, rates
        Looked up and measured by default.

    Returns
    -------
    The report for JSON: ``findings``, ``jobs``, ``rates`` and totals; ``found`` says whether
    something is a problem.

    Raises
    ------
    InputError
        If there is no params.yaml, or the settings are not allowed.
    """
    settings = resolve(read_params(folder / "params.yaml"), overrides)
    compute = settings["compute"]
    machine = machine or this_machine(folder / "build" / settings["workspace"])
    gpu, together = machine.gives_gpu(compute), machine.at_once(compute)
    findings = [environment.python_version(), environment.locked(folder / "requirements")]
    if measured:
        findings.append(environment.importable(environment.libraries()))
    with chdir(folder):  # the graph's paths are relative to it
        try:
            graph = graph_of(settings)
            asked = graph.asked(settings["results"])
        except InputError as error:  # such as a directory without documents
            findings.append(Finding("dataset", PROBLEM, str(error)))
            run = Run([], BertConfig(), "not known", None)
        else:
            findings += inputs.data(graph, asked) + inputs.punkt(graph, asked)
            findings += [inputs.encoder(graph), *inputs.checkpoints(graph, asked)]
            run = list_jobs(graph, gpu)
        if rates is None and measured and run.jobs:
            logger.info("measuring rates, some %d s", SECONDS)
            try:
                rates = run.measure(compute, SECONDS, dump_file(graph))
            except InputError as error:
                logger.warning("rates were not measured: %s", error)
    findings += [*inputs.writable(folder), inputs.lock(folder), _device(compute, machine, together)]
    if run.counts is None:
        says = "the data are not counted yet: sizes and times follow once the corpus stage has run"
        findings.append(Finding("data", NOTE, says))
    else:
        findings += [_disk(run.jobs, together, machine), _memory(run.jobs, gpu, together, machine)]
    if rates is not None and rates.share < BUSY:
        says = (
            f"busy: measuring got {rates.share:.0%} of the time it asked for. Times below are for "
            "a machine that has nothing else to do."
        )
        findings.append(Finding("load", NOTE, says))
    jobs = [job.as_dict(rates or Rates()) for job in run.jobs]
    left = [job for job in jobs if job["seconds_left"]]
    longest = max((job["seconds"] / job["jobs"] for job in left), default=0.0)
    whole = sum(job["seconds_left"] for job in left)
    return {
        "preset": settings["preset"],
        "dataset": settings["dataset"],
        "machine": {"cores": machine.cores, "memory": machine.memory, "gpus": machine.gpus},
        "findings": [finding._asdict() for finding in findings],
        "encoder": {**run.encoder.as_dict(), "known_from": run.encoder_from},
        "counts": run.counts,
        "lengths": run.lengths,
        "rates": rates and rates.as_dict(),
        "jobs": jobs,
        "at_once": together,
        "seconds_left": rates and max(whole / together, longest),
        "found": any(finding.status == PROBLEM for finding in findings),
    }


def _device(compute: Mapping[str, Any], machine: Machine, together: int) -> Finding:
    device, threads, processes = (compute[key] for key in ("device", "threads", "processes"))
    gpu = machine.gives_gpu(compute)
    if device == "cuda" and not machine.gpus:
        return Finding("device", PROBLEM, "compute.device is cuda, and there is no GPU here.")
    if gpu and processes > machine.gpus:
        says = f"compute.processes is {processes}, one a GPU, and there are {machine.gpus}."
        return Finding("device", PROBLEM, says)
    if not gpu and threads * processes > machine.cores:
        says = (
            f"compute.threads x processes is {threads * processes}, and there are {machine.cores} "
            "cores: jobs wait for each other."
        )
        return Finding("device", NOTE, says)
    where = f"{machine.gpus} GPUs" if gpu else f"{machine.cores} cores, no GPU"
    return Finding("device", OK, f"{where}; {together} jobs of {threads} threads at a time")


def _disk(jobs: Sequence[Job], together: int, machine: Machine) -> Finding:
    need = disk_needed(jobs, together)
    says = f"{size(need)} needed in {machine.folder} (projected), {size(machine.room)} there"
    if need > machine.room:
        return Finding("disk", PROBLEM, f"{says}. Free some, or ask for fewer results.")
    return Finding("disk", OK, says)


def _memory(jobs: Sequence[Job], gpu: bool, together: int, machine: Machine) -> Finding:
    """Main memory of the largest jobs that run beside each other."""
    if gpu:
        says = "training takes the GPU's memory, and smaller passes where that does not suffice"
        return Finding("memory", OK, says)
    largest = sorted((job.estimate.memory for job in jobs for _ in range(job.count)), reverse=True)
    need = sum(largest[:together]) + ENVIRONMENT
    says = (
        f"{size(need)} needed by the largest {together} jobs at a time (projected), "
        f"{size(machine.memory)} there"
    )
    if need > machine.memory:
        says += ". Lower training.graph_tokens and chunk_tokens, or --cores (jobs at a time)."
        return Finding("memory", PROBLEM, says)
    return Finding("memory", OK, says)
