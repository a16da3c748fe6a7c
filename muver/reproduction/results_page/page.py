"""The page of record of a dataset: commands, what they ran on, and the tables of a run."""

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
from muver.reproduction.tables.records import AnyResult, ResultOnData
from muver.reproduction.tracking.provenance import changed_since_commit, commit, machine, versions

HEAD = """\
# Results on {dataset}

This page is written by `make docs-results` from a run's results; its numbers lie beside it in
`{numbers}`, with which `make check` compares your run. Another processor may move a mention across
a cut-off, under the same `row_key`. Tests of the paper's claims are among the
[verdicts](../verdicts.md); those of all rows, intervals, means of worlds and small bins are in a
run's `results/{workspace}/NAME.md` ([Reading results](../reading.md))."""


def write_results_page(
    project: Path = Path("."),
    command: Sequence[str] = ("make results",),
    config: Iterable[tuple[str, Any]] = (),
    uncommitted: bool = False,
) -> None:
    """Write docs/results/DATASET.md, and its numbers beside it for `muver doctor record`.

    Parameters
    ----------
    project
        The run's folder, with params.yaml, results/ and logs/.
    command
        Lines that were typed to make the results.
    config
        Settings that replace those of the project's params.yaml: they say which dataset, and by
        ``results`` which tables the page has.
    uncommitted
        Write it although what makes the numbers differs from the commit; the page says so.
    """
    if not uncommitted and (changed := changed_since_commit(project)):
        raise InputError(
            f"{', '.join(changed[:3])}{', ...' if changed[3:] else ''}: not as in the last commit, "
            "which the page names as what made its numbers. Commit, make the results and then the "
            "page; or give --uncommitted (make: ARGS=--uncommitted), and the page says so."
        )
    settings = resolve(read_params(project / "params.yaml"), dict(config))
    path = path_of(project, settings.workspace)
    tables = read_tables(project / "results" / settings.workspace)
    run, record = measured(tables, this_machine()), read_numbers(path)
    record = replaced(record, run, tables) if run else record
    # Of rows with a model alone: that BM25's are equal everywhere says nothing of the others.
    rows = ranked_by_models(record, settings.systems) if record else []
    found = [spread(rows, over) for over in ("machines", "seeds")]
    spreads = {f"Spread over {one.over}": str(one) for one in found if one}
    shown = {name: table for name, table in tables.items() if name in settings.results}
    text = make_page(project, settings.workspace, command, shown, spreads)
    write_text(path.with_suffix(".md"), text)
    if run:
        write_json(path, record)


def make_page(
    project: Path,
    workspace: str,
    commands: Sequence[str],
    tables: Mapping[str, AnyResult],
    spreads: Mapping[str, str] | None = None,
) -> str:
    """Make the page of a run as Markdown.

    Commit, times and dates are those of the project's folder; versions and the machine are of
    where this runs, which has to be the environment and the machine that made the results.
    ``spreads`` say in words how far apart machines and seeds lie.
    """
    named = next((one for one in tables.values() if isinstance(one, ResultOnData)), None)
    if named is None:
        raise InputError(f"results/{workspace}: no result names its dataset. Make one with rows.")
    facts = {**_facts(project, workspace, tables), **(spreads or {})}
    numbers = path_of(Path("."), workspace)
    text = "\n\n".join(
        [
            HEAD.format(dataset=named.dataset, workspace=workspace, numbers=numbers),
            f"The data have the fingerprint `{named.fingerprint}`. The run was",
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
    return text + "\n"


def _facts(project: Path, workspace: str, tables: Iterable[str]) -> dict[str, str]:
    """What made the results, by name."""
    code, results = commit(project), project / "results" / workspace
    latest = max((results / f"{name}.json").stat().st_mtime for name in tables)
    jobs = read_jobs(project / "logs" / workspace)
    took = duration(sum(job.seconds for job in jobs))
    return {
        "Commit": f"`{code['hash']}`{code['changed']}" if code else "not known",
        "Made": f"{datetime.fromtimestamp(latest, UTC):%Y-%m-%d}",
        **({"All jobs of the folder": f"{took} ({counted(len(jobs), 'job')})"} if jobs else {}),
        **machine(),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
    }
