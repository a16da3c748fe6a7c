"""How long each job took, by Snakemake's benchmarks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from muver.io.progress import duration
from muver.reproduction.tables.page import Section
from muver.reproduction.workspace.benchmarks import measured

SECONDS = "%Y-%m-%d %H:%M:%S"
MINUTES = "%Y-%m-%d %H:%M"


@dataclass(frozen=True)
class Job:
    """One job of the workflow."""

    stage: str  # the folder of its benchmark
    name: str  # what follows; empty for a stage of one job
    started: datetime | None  # in the machine's local time; None if its log does not say
    seconds: float
    memory: float | None  # greatest resident memory in MiB; None of a job of milliseconds


def read_jobs(logs: Path) -> list[Job]:
    """All jobs that left a benchmark below ``logs``, in the order they began."""
    jobs = []
    for path in logs.rglob("*.benchmark.tsv"):
        found = measured(path)
        if "seconds" in found:
            job = path.relative_to(logs).as_posix().removesuffix(".benchmark.tsv")
            stage, _, name = job.partition("/")
            started = _started(logs / f"{job}.log")
            jobs.append(Job(stage, name, started, found["seconds"], found.get("max_rss_mb")))
    return sorted(jobs, key=lambda job: (job.started or datetime.max, job.stage, job.name))


def _started(log: Path) -> datetime | None:
    """The time that a job's log begins with."""
    try:
        with open(log, encoding="utf-8", errors="replace") as lines:
            return datetime.strptime(next(lines).partition(",")[0], SECONDS)
    except (OSError, ValueError, StopIteration):
        return None


def times(jobs: Sequence[Job]) -> dict[str, Any]:
    """The ``stages`` in the order they began, and the ``jobs`` of each; empty without jobs."""
    if not jobs:
        return {}
    stages: dict[str, list[Job]] = {}
    for job in jobs:
        stages.setdefault(job.stage, []).append(job)
    note = "Times are of Snakemake's benchmarks. Jobs may have run side by side."
    if started := [job.started for job in jobs if job.started]:
        note = (
            f"Jobs began between {min(started):{MINUTES}} and {max(started):{MINUTES}} (local time "
            f"of the machine). {note}"
        )
    seconds = {stage: sum(job.seconds for job in of_stage) for stage, of_stage in stages.items()}
    longest = max(seconds.values()) or 1
    rows = []
    for stage, of_stage in stages.items():
        began, took, memory = _cells(of_stage)
        share = f"{max(1, round(100 * seconds[stage] / longest))}%"
        rows.append([stage, str(len(of_stage)), began, took, share, memory])
    header = ["stage", "jobs", "began", "all jobs together", "share", "peak memory"]
    return {
        "stages": Section("Stages and their times", note, header, rows),
        "jobs": [
            Section(
                f"Jobs of {stage}",
                "",
                ["job", "began", "took", "peak memory"],
                [[job.name or stage, *_cells([job])] for job in of_stage],
            )
            for stage, of_stage in stages.items()
            if len(of_stage) > 1
        ],
    }


def _cells(jobs: Sequence[Job]) -> list[str]:
    """When the first of some jobs began, how long all took, and the greatest memory."""
    began = min((job.started for job in jobs if job.started), default=None)
    memory = max((job.memory for job in jobs if job.memory is not None), default=None)
    return [
        f"{began:{MINUTES}}" if began else "",
        duration(sum(job.seconds for job in jobs)),
        "" if memory is None else f"{memory:.0f} MB",
    ]
