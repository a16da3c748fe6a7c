"""What was run, when, on what kind of machine, and how long each stage took."""

from collections.abc import Mapping, Sequence

from muver.io.progress import duration
from muver.report.embed import text
from muver.report.grids import details, grid, paragraph
from muver.report.times import Job, by_stage

TIME = "%Y-%m-%d %H:%M"


def times(jobs: Sequence[Job]) -> str:
    """A table of stages, each with its jobs to be opened; nothing without logs."""
    if not jobs:
        return ""
    started = [job.started for job in jobs if job.started is not None]
    span = (
        f"Jobs began between {min(started):{TIME}} and {max(started):{TIME}} (local time of the "
        "machine). "
        if started
        else ""
    )
    note = (
        f"{span}Times are of Snakemake's benchmarks where a rule has one, else from the first to "
        "the last line of the job's log, which leaves its start-up out (marked ~). Jobs may have "
        "run side by side."
    )
    groups = by_stage(jobs)
    longest = max(sum(job.seconds for job in own) for _, own in groups) or 1
    cells = [[text(stage), *_stage(own, longest)] for stage, own in groups]
    header = ["stage", "jobs", "began", "all jobs together", "share", "peak memory"]
    parts = [paragraph(note), grid("Stages and their times", header, cells, (0, 2, 4), "times")]
    several = [(stage, own) for stage, own in groups if len(own) > 1]
    parts += [details(f"Jobs of {stage} ({len(own)})", _jobs(own)) for stage, own in several]
    return "\n".join(parts)


def facts(title: str, values: Mapping[str, str]) -> str:
    """A list of properties."""
    items = "".join(
        f"<div><dt>{text(key)}</dt><dd>{text(value)}</dd></div>" for key, value in values.items()
    )
    return f'<h4>{text(title)}</h4><dl class="facts">{items}</dl>'


def _stage(jobs: Sequence[Job], longest: float) -> list[str]:
    seconds = sum(job.seconds for job in jobs)
    width = max(1, round(100 * seconds / longest))
    began = min((job.started for job in jobs if job.started is not None), default=None)
    return [
        str(len(jobs)),
        text(f"{began:{TIME}}") if began else "",
        _took(seconds, all(job.measured for job in jobs)),
        f'<span class="bar" style="width:{width}%" aria-hidden="true"></span>',
        _memory(max((job.memory for job in jobs if job.memory is not None), default=None)),
    ]


def _jobs(jobs: Sequence[Job]) -> str:
    cells = [
        [
            text(job.name or job.stage),
            text(f"{job.started:{TIME}}") if job.started else "",
            _took(job.seconds, job.measured),
            _memory(job.memory),
        ]
        for job in jobs
    ]
    return grid(f"Jobs of {jobs[0].stage}", ["job", "began", "took", "peak memory"], cells, (0, 1))


def _took(seconds: float, measured: bool) -> str:
    return text(("" if measured else "~ ") + duration(seconds))


def _memory(megabytes: float | None) -> str:
    return "" if megabytes is None else text(f"{megabytes:.0f} MB")
