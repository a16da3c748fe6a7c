"""A page with a section for each dataset: commands, what they ran on, and the tables of a run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.progress import duration
from muver.io.text import counted
from muver.reproduction.report.times import read_jobs
from muver.reproduction.results_page.record import (
    measured,
    path_of,
    ranked_by_models,
    read_numbers,
    replaced,
    spread,
    this_machine,
)
from muver.reproduction.results_page.tables import read_tables, texts
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.tables.records import ResultOnData
from muver.reproduction.tracking.provenance import changed_since_commit, commit, machine, versions

BEGIN, END = "<!-- begin: {} -->", "<!-- end: {} -->"
ANY_END = re.compile("<!-- end: [^>]+ -->")
NEW = "<!-- sections -->"  # stands in page.md where the first section comes


def write_section(
    project: Path = Path("."),
    command: Sequence[str] = ("make results",),
    out: Path = Path("docs/results.md"),
    only: Sequence[str] = (),
    config: Iterable[tuple[str, Any]] = (),
    uncommitted: bool = False,
) -> None:
    """Put a run's section (:func:`make_section`) into a page, in place of its dataset's.

    Its numbers go beside the page, for `muver doctor record`.

    Parameters
    ----------
    project
        The run's folder, with params.yaml, results/ and logs/.
    command
        Lines that were typed to make the results.
    out
        Page whose section of this dataset is replaced; all else of it stays.
    only
        Results that the section has; by default all that are in results/DATASET.
    config
        Settings that replace those of the project's params.yaml: they say which dataset.
    uncommitted
        Write it although what makes the numbers differs from the commit; the section says so.
    """
    if not uncommitted and (changed := changed_since_commit(project)):
        raise InputError(
            f"{', '.join(changed[:3])}{', ...' if changed[3:] else ''}: not as in the last commit, "
            "which the page names as what made its numbers. Commit, make the results and then the "
            "page; or give --uncommitted (make: ARGS=--uncommitted), and the page says so."
        )
    settings = resolve(read_params(project / "params.yaml"), dict(config))
    workspace = settings.workspace
    path, tables = path_of(out, workspace), read_tables(project / "results" / workspace, only)
    run, record = measured(tables, this_machine()), read_numbers(path)
    record = replaced(record, run, tables) if run else record
    # Of rows with a model alone: that BM25's are equal everywhere says nothing of the others.
    rows = ranked_by_models(record, settings.systems) if record else []
    found = [spread(rows, over) for over in ("machines", "seeds")]
    spreads = {f"Spread over {one.over}": str(one) for one in found if one}
    dataset, text = make_section(project, workspace, command, only, spreads)
    write_page(out, dataset, text)
    if run:
        write_json(path, record)


def make_section(
    project: Path,
    workspace: str,
    commands: Sequence[str],
    only: Sequence[str] = (),
    spreads: Mapping[str, str] | None = None,
) -> tuple[str, str]:
    """Name of a run's dataset, and its section as Markdown.

    Commit, times and dates are those of the project's folder; versions and the machine are of
    where this runs, which has to be the environment and the machine that made the results.
    ``spreads`` say in words how far apart machines and seeds lie.
    """
    results = project / "results" / workspace
    tables = read_tables(results, only)
    named = next((one for one in tables.values() if isinstance(one, ResultOnData)), None)
    if named is None:
        raise InputError(f"{results}: no result names its dataset. Make one with rows.")
    dataset = named.dataset
    facts = {**_facts(project, results, tables), **(spreads or {})}
    text = "\n\n".join(
        [
            f"## {dataset}",
            f"Data with the fingerprint `{named.fingerprint}`. Made by",
            "\n".join(f"    {command}" for command in commands),
            "\n".join(["| | |", "| --- | --- |", *(f"| {k} | {v} |" for k, v in facts.items())]),
            *texts(tables),
        ]
    )
    for place in (project.absolute(), project.resolve(), Path.home()):
        if len(place.parts) > 1 and f"{place}" in text:
            raise InputError(
                f"{place} would stand on the page, which is for other machines. Give --command "
                "with names in place of folders of this one."
            )
    return dataset, text


def _facts(project: Path, results: Path, tables: Mapping[str, Any]) -> dict[str, str]:
    """What made the results, by name."""
    code = commit(project)
    latest = max((results / f"{name}.json").stat().st_mtime for name in tables)
    jobs = read_jobs(project / "logs" / results.name)
    took = duration(sum(job.seconds for job in jobs))
    return {
        "Commit": f"`{code['hash']}`{code['changed']}" if code else "not known",
        "Made": f"{datetime.fromtimestamp(latest, UTC):%Y-%m-%d}",
        **({"All jobs of the folder": f"{took} ({counted(len(jobs), 'job')})"} if jobs else {}),
        **machine(),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }


def write_page(out: Path, name: str, text: str) -> None:
    """Write a section (Markdown) into a page, in place of the one of this name.

    All else of the page stays; a new section comes last. A page that is not there becomes a page of
    record with a log for others.
    """
    begin, end = BEGIN.format(name), END.format(name)
    section = f"{begin}\n{text.strip()}\n{end}"
    before = out if out.exists() else Path(__file__).with_name("page.md")
    page = before.read_text(encoding="utf-8")
    if begin in page:
        page = page.partition(begin)[0] + section + page.partition(end)[2]
    elif NEW in page:
        page = page.replace(NEW, section)
    else:
        last = max((one.end() for one in ANY_END.finditer(page)), default=len(page.rstrip()))
        page = f"{page[:last]}\n\n{section}{page[last:]}"
    write_text(out, page)
