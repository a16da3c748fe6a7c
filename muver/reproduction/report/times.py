"""How long each job took: Snakemake's benchmarks where there are any, else the jobs' logs."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from muver.io.progress import duration
from muver.reproduction.report.markup import details, paragraph
from muver.reproduction.tables.html import grid, text

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
    """One job of the workflow.

    Attributes
    ----------
    stage, name
        The folder of its log, and what follows; the name is empty for a stage of one job.
    started
        When, in the machine's local time; None if the log does not say.
    seconds
        From start to end; from a benchmark, or between the log's first and last line.
    memory
        Greatest resident memory in MB; None without a benchmark.
    measured
        Whether the time is a benchmark's.
    """

    stage: str
    name: str
    started: datetime | None
    seconds: float
    memory: float | None
    measured: bool


def read_jobs(logs: Path) -> list[Job]:
    """All jobs that left a log or a benchmark below ``logs``, in the order they began.

    Files that are empty or not ours are passed over.
    """
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


def times(jobs: Sequence[Job]) -> str:
    """A table of the stages in the order they began, and their jobs to open; empty without jobs."""
    if not jobs:
        return ""
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
    longest = max(sum(job.seconds for job in own) for own in stages.values()) or 1
    cells = [[text(stage), *_stage_cells(own, longest)] for stage, own in stages.items()]
    header = ["stage", "jobs", "began", "all jobs together", "share", "peak memory"]
    parts = [
        paragraph(span + NOTE),
        grid("Stages and their times", header, cells, (0, 2, 4), "times"),
    ]
    header = ["job", "began", "took", "peak memory"]
    for stage, own in stages.items():
        if len(own) > 1:
            cells = [[text(job.name or stage), *_job_cells([job])] for job in own]
            jobs_grid = grid(f"Jobs of {stage}", header, cells, (0, 1))
            parts.append(details(f"Jobs of {stage} ({len(own)})", jobs_grid))
    return "\n".join(parts)


def _stage_cells(jobs: Sequence[Job], longest: float) -> list[str]:
    began, took, memory = _job_cells(jobs)
    width = max(1, round(100 * sum(job.seconds for job in jobs) / longest))
    bar = f'<span class="bar" style="width:{width}%" aria-hidden="true"></span>'
    return [str(len(jobs)), began, took, bar, memory]


def _job_cells(jobs: Sequence[Job]) -> list[str]:
    """When the first of some jobs began, how long all took, and the greatest memory."""
    began = min((job.started for job in jobs if job.started is not None), default=None)
    memory = max((job.memory for job in jobs if job.memory is not None), default=None)
    exact = all(job.measured for job in jobs)
    return [
        f"{began:{MINUTES}}" if began else "",
        text(("" if exact else "~ ") + duration(sum(job.seconds for job in jobs))),
        "" if memory is None else f"{memory:.0f} MB",
    ]


def _job_name(logs: Path, path: Path) -> str:
    """The name of a job below the logs, the same for its log and its benchmark."""
    name = path.relative_to(logs).with_suffix("").as_posix().removesuffix(".benchmark")
    return name.removeprefix(f"{BENCHMARKS}/")


def _span(path: Path) -> tuple[datetime, datetime] | None:
    """Times of a log's first and last line."""
    try:
        stamps = STAMP.findall(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    if not stamps:
        return None
    return datetime.strptime(stamps[0], SECONDS), datetime.strptime(stamps[-1], SECONDS)


def _benchmark(path: Path) -> tuple[float, float | None] | None:
    """Mean seconds and greatest memory in MB of a benchmark file of Snakemake."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file, delimiter="\t"))
        seconds = [float(line["s"]) for line in lines]
    except (OSError, ValueError, KeyError, TypeError, csv.Error):
        return None
    if not seconds:
        return None
    memory = [line.get("max_rss") or "" for line in lines]
    known = [float(value) for value in memory if re.fullmatch(r"[\d.]+", value)]
    return sum(seconds) / len(seconds), max(known, default=None)
