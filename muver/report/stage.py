"""The report stage: a run's folders to one page."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.checking import check_whole, with_defaults
from muver.io.errors import InputError
from muver.io.files import write_text
from muver.io.progress import logger
from muver.report import about, sources
from muver.report.drawings import inline
from muver.report.explorer import explore
from muver.report.linked import read_linked
from muver.report.linked_predictions import explore_linked
from muver.report.machine import machine, versions
from muver.report.page import page_of
from muver.report.places import Places
from muver.report.problems import Problems
from muver.report.recorded import read_recorded
from muver.report.results import Result, found_results, read_results
from muver.report.systems import System, read_systems
from muver.report.tables import tables
from muver.report.times import read_jobs
from muver.tracking.provenance import code_version

DEFAULTS = {
    "results": None,
    "mentions": 2000,
    "candidates": 10,
    "characters": 6_000_000,  # of all descriptions together, which keeps a page below 10 MB
}
FIGURES = ("figure2", "table3")


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
        ``mentions``: how many the explorer has at most, drawn evenly from all worlds.
        ``candidates``: how many of each mention. ``characters``: of all descriptions together.

    Returns
    -------
    What was found wrong; it stands on the page and in the log.

    Raises
    ------
    InputError
        Only if there is nothing at all to show, or the page cannot be written.
    """
    settings = with_defaults(settings, DEFAULTS)
    check_whole(settings, {"mentions": 1, "candidates": 1, "characters": 1})
    places = Places(results, workspace or Path("build"), logs or Path("logs"))
    names = settings["results"]
    if names is None:
        names = found_results(places)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"--settings: results is {names!r}, expected a list of names.")
    if not names:
        raise InputError(f"{results}: no table is in it. Make one: snakemake --cores all")
    problems = Problems()
    found = read_results(names, places, problems)
    dataset = _dataset(found)
    places = Places(results, workspace or Path("build") / dataset, logs or Path("logs") / dataset)
    systems, linked = read_systems(found, places, problems), read_linked(found, places, problems)
    data = _explore(explore, systems, places, settings, problems)
    if data is None:
        data = _explore(explore_linked, linked, places, settings, problems)
    systems += linked
    explored = {row["key"] for row in data["rows"]} if data else set()
    jobs = read_jobs(places.logs)
    page = page_of(
        found,
        systems,
        problems,
        tables=tables(found, read_recorded(found, places, problems), problems),
        drawings=_drawings(names, places, problems),
        rows=sources.rows(systems, places, explored),
        facts=[
            about.facts("This page was made on", machine()),
            about.facts("Versions", {**versions(), **_commit()}),
        ],
        times=about.times(jobs),
        data=data,
    )
    write_text(out, page)
    logger.info(
        "%s: %d results, %d rows, predictions of %d; %.1f MB; %d problems", out, len(found),
        len(systems), len(explored), len(page.encode()) / 1e6, len(problems.found),
    )  # fmt: skip
    return problems


def _dataset(results: list[Result]) -> str:
    """The dataset of the tables, by whose name the workflow calls its folders."""
    for result in results:
        name = (result.data or {}).get("dataset")
        if isinstance(name, str) and name and Path(name).name == name:
            return name
    return "."


def _explore(
    kind: Callable[..., dict[str, Any] | None],
    systems: Sequence[System],
    places: Places,
    settings: Mapping[str, Any],
    problems: Problems,
) -> dict[str, Any] | None:
    try:
        return kind(systems, places, settings, problems)
    except InputError as error:
        told = str(error).replace(f"{places.workspace}/", "")
        problems.tell(f"The predictions cannot be shown: {told}")
        return None


def _drawings(names: list[str], places: Places, problems: Problems) -> dict[str, str]:
    found = {}
    for name in FIGURES:
        if name in names:
            try:
                found[name] = inline(places.figure(name), name)
            except InputError as error:
                problems.tell(f"{name}: the figure is missing or damaged. {error}")
    return found


def _commit() -> dict[str, str]:
    tags = code_version()
    if "git_commit" not in tags:
        return {}
    changed = " (with changes)" if tags.get("git_dirty") == "true" else ""
    return {"commit": f"{tags['git_commit'][:12]}{changed}"}
