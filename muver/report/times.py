"""How long each job took: Snakemake's benchmarks where there are any, else the jobs' logs."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

STAMP = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} ")
FORM = "%Y-%m-%d %H:%M:%S"
BENCHMARKS = "benchmarks"  # a folder of their own mirrors the logs


@dataclass(frozen=True)
class Job:
    """One job of the workflow.

    Attributes
    ----------
    stage, name
        The folder of its log, and what follows; the name is empty for a stage of one job.
    started
        When, in the machine's local time; None if the log does not tell.
    seconds
        From start to end; from a benchmark, or between the log's first and last line.
    memory
        Greatest resident memory in MB; None without a benchmark.
    measured
        Whether a benchmark tells the time; a log misses the job's start-up.
    """

    stage: str
    name: str
    started: datetime | None
    seconds: float
    memory: float | None
    measured: bool


def read_jobs(logs: Path) -> list[Job]:
    """All jobs that left a log or a benchmark below ``logs``, by stage in the order they began.

    Files that are empty or no log of ours are passed over.
    """
    spans = {_place(logs, path): _span(path) for path in sorted(logs.rglob("*.log"))}
    measured = {_place(logs, path): _benchmark(path) for path in sorted(logs.rglob("*.tsv"))}
    jobs = []
    for place in dict.fromkeys([*spans, *measured]):
        span, benchmark = spans.get(place), measured.get(place)
        if span is None and benchmark is None:
            continue
        seconds = benchmark[0] if benchmark else (span[1] - span[0]).total_seconds()
        memory = benchmark[1] if benchmark else None
        stage, _, name = place.partition("/")
        started = span[0] if span else None
        jobs.append(Job(stage, name, started, seconds, memory, benchmark is not None))
    return sorted(jobs, key=lambda job: (job.started or datetime.max, job.stage, job.name))


def by_stage(jobs: Sequence[Job]) -> list[tuple[str, list[Job]]]:
    """The jobs of each stage, stages in the order in which their first job began."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(job.stage, []).append(job)
    return list(groups.items())


def _place(logs: Path, path: Path) -> str:
    """A job's place below the logs, the same for its log and its benchmark."""
    place = path.relative_to(logs).with_suffix("").as_posix().removesuffix(".benchmark")
    return place.removeprefix(f"{BENCHMARKS}/")


def _span(path: Path) -> tuple[datetime, datetime] | None:
    """Times of a log's first and last line."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    stamps = [found[1] for line in lines if (found := STAMP.match(line))]
    if not stamps:
        return None
    return datetime.strptime(stamps[0], FORM), datetime.strptime(stamps[-1], FORM)


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
    return sum(seconds) / len(seconds), _greatest([line.get("max_rss") for line in lines])


def _greatest(texts: Sequence[str | None]) -> float | None:
    numbers = [float(text) for text in texts if text and re.fullmatch(r"[\d.]+", text)]
    return max(numbers, default=None)
