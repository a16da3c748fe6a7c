"""The report stage: from the folders of a run to one page."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.checking import check_whole, with_defaults
from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import logger
from muver.report.drawings import inline
from muver.report.explorer import explore
from muver.report.files import RunFiles
from muver.report.machine import commit, machine, versions
from muver.report.markup import properties
from muver.report.page import page_of
from muver.report.problems import Problems
from muver.report.recorded import read_recorded
from muver.report.results import Result, read_results, result_names
from muver.report.rows import rows
from muver.report.systems import System, read_systems
from muver.report.tables import tables
from muver.report.times import read_jobs, times

DEFAULTS = {
    "results": None,
    "mentions": 2000,
    "candidates": 10,
    "characters": 6_000_000,  # of all descriptions together, which keeps a page below 10 MB
}
DRAWN = ("figure2", "table3")  # results that have a drawing


def make_report(
    results: Path,
    out: Path,
    settings: Mapping[str, Any],
    workspace: Path | None = None,
    logs: Path | None = None,
) -> Problems:
    """Write the page of a run.

    Parameters
    ----------
    results
        Folder with the tables.
    workspace, logs
        Folders of what was built and of the logs; by default ``build/<dataset>`` and
        ``logs/<dataset>``, where the workflow has them, of the dataset of the tables.
    settings
        ``results``: names of the tables and figures to show, by default all that are there.
        ``mentions``: how many the explorer has at most, drawn evenly from all worlds or sets.
        ``candidates``: how many of each mention. ``characters``: of all descriptions together.

    Returns
    -------
    What does not fit together; it stands on the page and in the log.

    Raises
    ------
    InputError
        Only if there is nothing at all to show, or the page cannot be written.
    """
    settings = with_defaults(settings, DEFAULTS)
    check_whole(settings, {"mentions": 1, "candidates": 1, "characters": 1})
    names = settings["results"]
    if names is None:
        names = result_names(results)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"--settings: results is {names!r}, expected a list of names.")
    if not names:
        raise InputError(f"{results}: no table is in it. Make one: snakemake --cores all")
    problems = Problems()
    shown = read_results(names, RunFiles(results, Path("build"), Path("logs")), problems)
    dataset = _dataset(shown)
    files = RunFiles(results, workspace or Path("build") / dataset, logs or Path("logs") / dataset)
    systems = read_systems(shown, files, problems)
    data = _explore(systems, files, settings, problems)
    explored = {row["key"] for row in data["rows"]} if data else set()
    drawings = _drawings(names, files, problems)
    addresses = read_recorded(shown, files, problems)
    page = page_of(
        shown,
        systems,
        tables=tables(shown, drawings, addresses, problems),
        rows=rows(systems, files, explored),
        run=_run(files),
        data=data,
        problems=problems,
    )
    write_text(out, page)
    logger.info(
        "%s: %d results, %d rows, predictions of %d; %.1f MB; %d problems", out, len(shown),
        len(systems), len(explored), len(page.encode()) / 1e6, len(problems.messages),
    )  # fmt: skip
    return problems


def _dataset(results: Sequence[Result]) -> str:
    """The dataset of the tables, by whose name the workflow calls its folders."""
    for result in results:
        name = (result.data or {}).get("dataset")
        if isinstance(name, str) and name and Path(name).name == name:
            return name
    return "."


def _explore(
    systems: Sequence[System], files: RunFiles, settings: Mapping[str, Any], problems: Problems
) -> dict[str, Any] | None:
    try:
        return explore(systems, files, settings, problems)
    except InputError as error:
        problems.add(f"The predictions cannot be shown: {files.without_folders(error)}")
        return None


def _drawings(names: Sequence[str], files: RunFiles, problems: Problems) -> dict[str, str]:
    drawings = {}
    for name in names:
        if name in DRAWN or files.figure(name).is_file():
            try:
                drawings[name] = inline(files.figure(name), name)
            except InputError as error:
                problems.add(f"{name}: the figure is missing or damaged. {error}")
    return drawings


def _run(files: RunFiles) -> str:
    """When the jobs ran and how long they took; where and with what this page was made."""
    code = commit()
    made_with = {**versions(), **({"commit": code["hash"][:12] + code["changed"]} if code else {})}
    parts = [
        times(read_jobs(files.logs)),
        properties("This page was made on", machine()),
        properties("Versions", made_with),
    ]
    return "\n".join(filter(None, parts))
