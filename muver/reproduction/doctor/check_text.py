"""A check in words."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from muver.io.progress import duration
from muver.io.text import aligned

WIDTH = 100
MARKS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}
HEAD = ("stage", "jobs", "done", "those took", "left, projected", "longest left")


def as_text(report: Mapping[str, Any]) -> str:
    """The report of :func:`muver.reproduction.doctor.check.check` for people."""
    lines = [f"Before a run of preset {report['preset']} on {report['dataset']}:", ""]
    findings = report["findings"]
    lines += aligned([(MARKS[f["status"]], f["check"], f["says"]) for f in findings])
    if report["jobs"]:
        lines += ["", *_stages(report["jobs"]), *textwrap.wrap(_notes(report), WIDTH)]
    problems = sum(finding["status"] == "problem" for finding in findings)
    lines += ["", f"Problems: {problems}" if problems else "Nothing stands in the way."]
    return "\n".join(lines) + "\n"


def _stages(jobs: Sequence[Mapping[str, Any]]) -> list[str]:
    stages = dict.fromkeys(job["stage"] for job in jobs)
    own = {stage: [job for job in jobs if job["stage"] == stage] for stage in stages}
    return aligned([HEAD, *(_stage(*pair) for pair in own.items())])


def _stage(stage: str, jobs: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    took = [seconds for job in jobs for seconds in job["took_seconds"]]
    left = {
        job["job"]: job["seconds_left"]
        for job in jobs
        if job["done"] < job["jobs"] and job["seconds_left"] is not None
    }
    longest = max(left, key=left.__getitem__, default="")
    return (
        stage,
        str(sum(job["jobs"] for job in jobs)),
        str(sum(job["done"] for job in jobs)),
        f"{duration(sum(took))} ({len(took)})" if took else "-",
        duration(sum(left.values())) if left else "-",
        f"{longest}: {duration(left[longest])}" if left else "-",
    )


def _notes(report: Mapping[str, Any]) -> str:
    """What the times are made of."""
    origin = f"counts {report['counts']}, lengths {report['lengths']}"
    rates = report["rates"]
    if all(job["done"] == job["jobs"] for job in report["jobs"]):
        return "Nothing of this is left; whether it is up to date, snakemake -n says."
    if rates is None:
        return f"No rates were measured; {origin}."
    speeds = ", ".join(
        f"{name} {rate['value']:,.0f} {rate['unit']}/s at length {length}"
        for name, kind in (("encoding", "encode"), ("training", "train"))
        for length, rate in rates.get(kind, {}).items()
    )
    return (
        f"Left: about {duration(report['seconds_left'])} with {report['at_once']} jobs at a time. "
        f"Projected, not promised: {origin}; rates were measured just now on random weights and "
        f"tokens, one job alone on {rates['device']}: {speeds}. BM25, spans, tables, the starts of "
        "processes and stages without a rate (-) are not counted. `muver plan --config preset="
        f"{report['preset']}` lists memory and disk by stage."
    )
