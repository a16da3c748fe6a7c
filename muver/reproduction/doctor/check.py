"""Before a run: whether everything is there and fits this machine, and how long it will take."""

from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.text import aligned
from muver.reproduction.doctor import environment, inputs
from muver.reproduction.doctor.inputs import NOTE, OK, PROBLEM, Finding
from muver.reproduction.estimate.machine import Machine, this_machine
from muver.reproduction.estimate.plan import Report, project, told
from muver.reproduction.estimate.rates import Rates
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of
from muver.retriever.encoders.settings import Compute


def check(
    folder: Path,
    overrides: Mapping[str, Any],
    *,
    measured: bool = True,
    machine: Machine | None = None,
    rates: Rates | None = None,
) -> Report:
    """Check a project's folder against its params.yaml.

    Parameters
    ----------
    measured
        Measure rates, which takes some seconds.
    machine, rates
        Looked up and measured by default.

    Returns
    -------
    The report for JSON: ``findings``, what :func:`project` says, and whether a problem is
    ``found``.
    """
    settings = resolve(read_params(folder / "params.yaml"), overrides)
    compute = settings.compute
    machine = machine or this_machine(folder / "build" / settings.workspace)
    projected: Report = {"jobs": [], "counts": None}
    findings = [environment.locked(folder / "requirements")]
    with chdir(folder):  # the graph's paths are relative to it
        try:
            graph = graph_of(settings)
            asked = graph.asked(settings.results)
        except InputError as error:  # such as a directory without documents
            findings.append(Finding("dataset", PROBLEM, str(error)))
        else:
            findings += [*inputs.data(graph, asked), inputs.encoder(graph)]
            projected = project(graph, machine, measured, rates)
    findings.append(_device(compute, machine))
    for what, need in projected.get("needs", {}).items():
        findings.append(Finding(what, OK if need["enough"] else PROBLEM, need["says"]))
    return {
        "preset": settings.preset,
        "dataset": settings.dataset,
        "findings": [finding._asdict() for finding in findings],
        **projected,
        "found": any(finding.status == PROBLEM for finding in findings),
    }


def _device(compute: Compute, machine: Machine) -> Finding:
    device, threads, processes = compute.device, compute.threads, compute.processes
    gpu = machine.gives_gpu(compute)
    if device == "cuda" and not machine.gpus:
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
