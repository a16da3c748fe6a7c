"""A check in words."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from muver.doctor.sizes import VIEWS
from muver.doctor.text import WIDTH

MARKS = {"ok": "ok     ", "note": "note   ", "problem": "PROBLEM"}


def as_text(report: Mapping[str, Any]) -> str:
    """The report of :func:`muver.doctor.check.check` for people."""
    lines = [f"Before a run of preset {report['preset']} on {report['dataset']}:", ""]
    found = report["findings"]
    width = max(len(finding["check"]) for finding in found)
    lines += [f"{MARKS[f['status']]}  {f['check']:<{width}}  {f['says']}" for f in found]
    if report["jobs"]:
        lines += ["", *_stages(report)]
    problems = sum(finding["status"] == "problem" for finding in found)
    lines += ["", f"Problems: {problems}" if problems else "Nothing stands in the way."]
    return "\n".join(lines) + "\n"


def duration(seconds: float) -> str:
    """Seconds for people: two units at most.

    >>> duration(0.4), duration(75), duration(7320), duration(200000)
    ('under 1 s', '1 min 15 s', '2 h 2 min', '2 d 7 h')
    """
    if seconds < 1:
        return "under 1 s"
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    left, parts = round(seconds), []
    for name, size in units:
        if left >= size:
            parts.append(f"{left // size} {name}")
            left %= size
    return " ".join(parts[:2])


def _stages(report: Mapping[str, Any]) -> list[str]:
    rates = report["rates"]
    rows = [("stage", "jobs", "done", "those took", "left, projected", "longest left")]
    for stage, some in groupby(report["jobs"], key=lambda job: job["stage"]):
        rows.append(_stage(stage, list(some), rates is not None))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    counts = f"counts {report['counts']}, lengths "
    counts += (
        "those of a sample"
        if report["lengths"] == "sample"
        else f"the most that settings allow, with {VIEWS} views an entity (the paper's mean)"
    )
    if rates is None:
        return [*lines, *textwrap.wrap(f"No rates were measured; {counts}.", WIDTH)]
    speeds = ", ".join(
        f"{kind} {value:,.0f} tokens/s at length {length}"
        for kind in ("encoding", "training")
        for length, value in rates[f"{kind}_tokens_per_second"].items()
    )
    if all(job["done"] for job in report["jobs"]):
        return [*lines, "Nothing of this is left; whether it is up to date, snakemake -n says."]
    left = duration(report["seconds_left"])
    notes = (
        f"Left: about {left} with {report['at_once']} jobs at a time. Projected, not promised: "
        f"{counts}; rates were measured just now on random weights and tokens, one job alone on "
        f"{rates['device']}: {speeds}. Reading, laying out, BM25, tables and the starts of "
        "processes are not counted."
    )
    return [*lines, *textwrap.wrap(notes, WIDTH)]


def _stage(stage: str, some: Sequence[Mapping[str, Any]], known: bool) -> tuple[str, ...]:
    left = [job for job in some if not job["done"]]
    took = [job["took_seconds"] for job in some if job["took_seconds"] is not None]
    projected = [job["projected_seconds"] for job in left] if known else []
    longest = max(left, key=lambda job: job["projected_seconds"], default=None) if known else None
    return (
        stage,
        str(len(some)),
        str(len(some) - len(left)),
        f"{duration(sum(took))} ({len(took)})" if took else "-",
        duration(sum(projected)) if projected else "-",
        f"{longest['job']}: {duration(longest['projected_seconds'])}" if longest else "-",
    )
