"""One run's section: the commands, what they ran on, and the tables."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.progress import duration
from muver.report.machine import commit, machine, versions
from muver.report.times import read_jobs
from muver.results_page.page import write_page
from muver.results_page.tables import read_tables, texts
from muver.tables.records import ResultOnData


def write_section(
    project: Path, command: Sequence[str], out: Path, only: Sequence[str] = ()
) -> None:
    """Put a run's section (:func:`make_section`) into a page, in place of its dataset's."""
    dataset, text = make_section(project, command, only)
    write_page(out, {dataset: text})


def make_section(
    project: Path, commands: Sequence[str], only: Sequence[str] = ()
) -> tuple[str, str]:
    """Name of a run's dataset, and its section as Markdown.

    Commit, times and dates are those of the project's folder; versions and the machine are of
    where this runs, which has to be the environment and the machine that made the results.

    Parameters
    ----------
    project
        The folder with ``results/`` and ``logs/``.
    commands
        What was typed to make them, a line each.
    only
        Names of the results that the section has; without any it has all that are there.

    Raises
    ------
    InputError
        If there are no results, they do not fit together, or a place of this machine would stand
        on the page.
    """
    results = project / "results"
    tables = read_tables(results, only)
    named = next((one for one in tables.values() if isinstance(one, ResultOnData)), None)
    if named is None:
        raise InputError(f"{results}: no result names its dataset. Make one with rows.")
    dataset = named.dataset
    facts = _facts(project, results, tables, dataset)
    text = "\n\n".join(
        [
            f"## {dataset}",
            f"Data with the fingerprint `{named.fingerprint}`. Made by",
            "\n".join(f"    {command}" for command in commands),
            "\n".join(["| | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in facts.items())]),
            *texts(results, tables),
        ]
    )
    for place in (project.absolute(), project.resolve(), Path.home()):
        if len(place.parts) > 1 and f"{place}" in text:
            raise InputError(
                f"{place} would stand on the page, which is for other machines. Give --command "
                "with names in place of folders of this one."
            )
    return dataset, text


def _facts(project: Path, results: Path, tables: Mapping[str, Any], dataset: str) -> dict[str, str]:
    """What made the results, by name."""
    code = commit(project)
    latest = max((results / f"{name}.json").stat().st_mtime for name in tables)
    jobs = read_jobs(project / "logs" / dataset)
    took = duration(sum(job.seconds for job in jobs))
    return {
        "Commit": f"`{code['hash']}`{code['changed']}" if code else "not known",
        "Made": f"{datetime.fromtimestamp(latest, UTC):%Y-%m-%d}",
        **({"All jobs together": f"{took} ({len(jobs)} jobs, some side by side)"} if jobs else {}),
        **machine(),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
