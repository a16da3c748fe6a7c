"""The report stage: from the folders of a run to one page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import duration, logger
from muver.io.text import counted
from muver.reproduction.costs import measured
from muver.reproduction.report.explorer import Report, explore
from muver.reproduction.report.page import html_of, inline, tables
from muver.reproduction.report.results import RunFiles, read_recorded, read_results, read_systems
from muver.reproduction.tables.page import Section
from muver.reproduction.tables.records import result_names
from muver.reproduction.tracking.provenance import commit, machine, versions

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


def make_report(
    *,
    results: Path,
    out: Path,
    settings: Report,
    workspace: Path | None = None,
    logs: Path | None = None,
) -> list[str]:
    """Write the page of a run; what does not fit together is returned, on the page and in the log.

    Parameters
    ----------
    results
        Folder of the tables, results/DATASET.
    out
        The page to write.
    workspace, logs
        Folders of what was built and of the logs; by default the workflow's,
        ``build/DATASET/current`` and ``logs/DATASET``.
    """
    names = result_names(results) if settings.results is None else settings.results
    if not names:
        raise InputError(f"{results}: no table is in it. Make one: snakemake --cores all")
    dataset = results.name
    files = RunFiles(
        results, workspace or Path("build") / dataset / "current", logs or Path("logs") / dataset
    )
    problems: list[str] = []
    shown = read_results(names, files, problems)
    systems = read_systems(shown, files, problems)
    data = None
    try:
        data = explore(systems, files, settings, problems)
    except InputError as error:
        problems.append(f"The predictions cannot be shown: {files.without_folders(error)}")
    problems = [*dict.fromkeys(problems)]
    for problem in problems:
        logger.warning("%s", problem)
    drawings = {name: inline(results / "figures" / f"{name}.svg", name) for name in names}
    code = commit()
    page = html_of(
        shown,
        systems,
        files,
        data,
        tables=tables(shown, drawings, read_recorded(shown, files)),
        problems=problems,
        times=times(read_jobs(files.logs)),
        machine=machine(),
        versions=versions() | ({"commit": code["hash"][:12] + code["changed"]} if code else {}),
    )
    write_text(out, page)
    has = counted(len(shown), "result"), counted(len(systems), "row")
    logger.info("%s: %s, %s, %s", out, *has, counted(len(problems), "problem"))
    return problems


def page_of_made(results: Path) -> None:
    """Make ``report.html`` of the tables in a folder, if it is older than one of them, and the link
    to it in the folder above.

    A table's own run ends with it; the rule ``report`` makes it of all that params.yaml lists.
    """
    page, tables = results / "report.html", result_names(results)
    if not tables:
        return
    latest = max((results / f"{name}.json").stat().st_mtime for name in tables)
    if not page.is_file() or page.stat().st_mtime < latest:
        make_report(results=results, out=page, settings=Report())
    link = results.parent / page.name
    if not (link.is_symlink() and link.resolve() == page.resolve()):
        link.unlink(missing_ok=True)
        link.symlink_to(f"{results.name}/{page.name}")
