"""How long each job took: Snakemake's benchmarks where there are any, else the jobs' logs."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from muver.io.progress import duration
from muver.reproduction.tables.page import Section

STAMP = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} ", re.MULTILINE)
SECONDS = "%Y-%m-%d %H:%M:%S"
MINUTES = "%Y-%m-%d %H:%M"
BENCHMARKS = "benchmarks"  # a folder of their own mirrors the logs
NOTE = (
    "Times are of Snakemake's benchmarks where a rule has one, else from the first to the last "
    "line of the job's log, which leaves its start-up out (marked ~). Jobs may have run side by "
    "side."
)


@dataclass(frozen=True)
class Job:
    """One job of the workflow."""

    stage: str  # the folder of its log
    name: str  # what follows; empty for a stage of one job
    started: datetime | None  # in the machine's local time; None if the log does not say
    seconds: float
    memory: float | None  # greatest resident memory in MB; None without a benchmark
    measured: bool  # by a benchmark, not between the log's first and last line


def read_jobs(logs: Path) -> list[Job]:
    """All jobs that left a log or a benchmark below ``logs``, in the order they began."""
    spans = {_job_name(logs, path): _span(path) for path in sorted(logs.rglob("*.log"))}
    measured = {_job_name(logs, path): _benchmark(path) for path in sorted(logs.rglob("*.tsv"))}
    jobs = []
    for job in dict.fromkeys([*spans, *measured]):
        span, benchmark = spans.get(job), measured.get(job)
        stage, _, name = job.partition("/")
        started = span[0] if span else None
        if benchmark:
            jobs.append(Job(stage, name, started, *benchmark, measured=True))
        elif span:
            seconds = (span[1] - span[0]).total_seconds()
            jobs.append(Job(stage, name, started, seconds, None, measured=False))
    return sorted(jobs, key=lambda job: (job.started or datetime.max, job.stage, job.name))


def times(jobs: Sequence[Job]) -> dict[str, Any]:
    """The ``stages`` in the order they began, and the ``jobs`` of each; empty without jobs."""
    if not jobs:
        return {}
    stages: dict[str, list[Job]] = {}
    for job in jobs:
        stages.setdefault(job.stage, []).append(job)
    started = [job.started for job in jobs if job.started is not None]
    span = (
        f"Jobs began between {min(started):{MINUTES}} and {max(started):{MINUTES}} (local time of "
        "the machine). "
        if started
        else ""
    )
    seconds = {stage: sum(job.seconds for job in own) for stage, own in stages.items()}
    longest = max(seconds.values()) or 1
    rows = []
    for stage, own in stages.items():
        began, took, memory = _job_cells(own)
        share = f"{max(1, round(100 * seconds[stage] / longest))}%"
        rows.append([stage, str(len(own)), began, took, share, memory])
    header = ["stage", "jobs", "began", "all jobs together", "share", "peak memory"]
    return {
        "stages": Section("Stages and their times", span + NOTE, header, rows),
        "jobs": [
            Section(
                f"Jobs of {stage}",
                "",
                ["job", "began", "took", "peak memory"],
                [[job.name or stage, *_job_cells([job])] for job in own],
            )
            for stage, own in stages.items()
            if len(own) > 1
        ],
    }


def _job_cells(jobs: Sequence[Job]) -> list[str]:
    """When the first of some jobs began, how long all took, and the greatest memory."""
    began = min((job.started for job in jobs if job.started is not None), default=None)
    memory = max((job.memory for job in jobs if job.memory is not None), default=None)
    exact = all(job.measured for job in jobs)
    return [
        f"{began:{MINUTES}}" if began else "",
        ("" if exact else "~ ") + duration(sum(job.seconds for job in jobs)),
        "" if memory is None else f"{memory:.0f} MB",
    ]


def _job_name(logs: Path, path: Path) -> str:
    """The name of a job below the logs, the same for its log and its benchmark."""
    name = path.relative_to(logs).with_suffix("").as_posix().removesuffix(".benchmark")
    return name.removeprefix(f"{BENCHMARKS}/")


def _span(path: Path) -> tuple[datetime, datetime] | None:
    """Times of a log's first and last line."""
    stamps = STAMP.findall(path.read_text(encoding="utf-8", errors="replace"))
    if not stamps:
        return None
    return datetime.strptime(stamps[0], SECONDS), datetime.strptime(stamps[-1], SECONDS)


def _benchmark(path: Path) -> tuple[float, float | None] | None:
    """Mean seconds and greatest memory in MB of a benchmark file of Snakemake."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file, delimiter="\t"))
    seconds = [float(line["s"]) for line in lines if "s" in line]
    if not seconds:
        return None
    memory = [line.get("max_rss") or "" for line in lines]
    known = [float(value) for value in memory if re.fullmatch(r"[\d.]+", value)]
    return sum(seconds) / len(seconds), max(known, default=None)
