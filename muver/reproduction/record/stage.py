"""Writes the page of record, and holds a run against the numbers of record.

A row that a model ranks is held against the widest spread of any such row over seeds and machines:
its own would be a range of few draws. Further off it is outside, as soon as any such row was
repeated with seeds. A row without a model (BM25) may lie no further off than machines of record do.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.io.progress import duration
from muver.io.text import aligned, counted
from muver.reproduction.doctor import tell
from muver.reproduction.record.numbers import (
    Measured,
    OfRecord,
    RowOfRecord,
    Systems,
    by_models,
    has_model,
    joined,
    measured,
    read_numbers,
    replaced,
    spread,
)
from muver.reproduction.report.times import read_jobs
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve
from muver.reproduction.tables.page import Page
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import AnyResult, read_result, result_names
from muver.reproduction.tables.render import to_markdown
from muver.reproduction.tracking.provenance import (
    changed_since_commit,
    commit,
    machine,
    this_machine,
    versions,
)

HEAD = """\
# Results on {name}

This page is written by `make docs-results` from a run's results; its numbers lie beside it in
`docs/results/{name}.json`, with which `make check` compares your run. Another processor may move
a mention across a cut-off, under the same `row_key`. Tests of the paper's claims are among the
[verdicts](../verdicts.md); those of all rows, intervals and means of worlds are in a run's
`results/{name}/NAME.md` ([Reading results](../reading.md)).

The data have the fingerprint `{fingerprint}`. The run was

    {command}
"""
ROUNDING = 1e-9  # points


class Run(NamedTuple):
    """What a project has of a dataset, and the record beside which it stands."""

    path: Path
    systems: Systems
    tables: dict[str, AnyResult]
    shown: list[str]  # the tables that settings list
    own: OfRecord
    known: OfRecord | None

    @classmethod
    def read(cls, project: Path, config: Iterable[tuple[str, Any]]) -> "Run":
        """Read what the settings, which ``config`` changes, say of a project's folder."""
        settings = resolve(read_params(project / "params.yaml"), dict(config))
        folder = project / "results" / settings.workspace
        tables = {name: read_result(folder / f"{name}.json") for name in result_names(folder)}
        own = measured(tables, this_machine())
        if own is None:
            raise InputError(f"{folder}: no table of recall is in it. Make one: make table1")
        path = project / "docs/results" / f"{settings.workspace}.json"
        shown = [name for name in tables if name in settings.results]
        return cls(path, settings.systems, tables, shown, own, read_numbers(path))


def write_results_page(
    project: Path = Path("."),
    command: str = "make results",
    config: Iterable[tuple[str, Any]] = (),
    uncommitted: bool = False,
) -> None:
    """Write docs/results/DATASET.md, and its numbers beside it.

    Parameters
    ----------
    project
        The run's folder, with params.yaml, results/ and logs/.
    command
        What was typed to make the results.
    config
        Settings that replace those of the project's params.yaml: they say which dataset, and by
        ``results`` which tables the page has.
    uncommitted
        Write it although what makes the numbers differs from the commit; the page says so.
    """
    if not uncommitted and (changed := changed_since_commit(project)):
        raise InputError(
            f"{changed[0]}: not as in the last commit, which the page names as what made its "
            "numbers. Commit, make the results and then the page; or give --uncommitted (make: "
            "ARGS=--uncommitted), and the page says so."
        )
    run = Run.read(project, config)
    name, made, record = run.path.stem, commit(project), replaced(run.known, run.own, run.tables)
    jobs, rows = read_jobs(project / "logs" / name), by_models(record, run.systems)
    spreads = {over: spread(rows, over) for over in ("machines", "seeds")}
    latest = max((project / f"results/{name}/{one}.json").stat().st_mtime for one in run.tables)
    facts = {
        "Commit": f"`{made['hash']}`{made['changed']}" if made else "not known",
        "Made": f"{datetime.fromtimestamp(latest, UTC):%Y-%m-%d}",
        "Jobs": f"{counted(len(jobs), 'job')}, {duration(sum(job.seconds for job in jobs))}",
        **machine(),
        "Versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
        **{f"Spread over {over}": str(found) for over, found in spreads.items() if found},
    }
    lines = ["| | |", "| --- | --- |", *(f"| {key} | {fact} |" for key, fact in facts.items())]
    head = HEAD.format(name=name, fingerprint=run.own.fingerprint, command=command)
    pages = [to_markdown(shortened(page_of(run.tables[one])), level=2) for one in run.shown]
    text = "\n".join([head, *lines, "", *pages])
    if any(len(p.parts) > 1 and f"{p}" in text for p in (project.resolve(), Path.home())):
        raise InputError("a folder of this machine would stand on the page: change --command.")
    blocks = text.strip().split("\n\n")  # a note stands at the first table that has it
    kept = [one for n, one in enumerate(blocks) if one[:1] in "#|" or one not in blocks[:n]]
    write_text(run.path.with_suffix(".md"), "\n\n".join(kept) + "\n")
    write_json(run.path, record)


def shortened(page: Page) -> Page:
    """The table alone, or of several seeds their mean."""
    seeds = [section for section in page.sections if section.heading == "Over seeds"]
    return Page(page.title, seeds or page.sections[:1])


def compare_record(
    *,
    folder: Path = Path("."),
    config: Iterable[tuple[str, Any]] = (),
    add: bool = False,
    out: Path | None = None,
) -> None:
    """Print how many mentions more or fewer rows found than those of record, by their keys.

    Ends with 1 if a row of equal key has numbers outside of the spread, 2 after bad input.

    Parameters
    ----------
    folder
        The project's, with params.yaml.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    add
        Add the numbers to those of record, as one more machine's: they widen the spread.
    out
        JSON file to write as well.
    """
    run = Run.read(folder, config)
    record, path = run.known or replace(run.own, rows={}), run.path
    if add:
        if run.known is None:
            raise InputError(f"{path}: no such file. Write it first: make docs-results")
        rows = {key: joined(row, run.own.rows.get(key)) for key, row in record.rows.items()}
        write_json(path, replace(record, rows=rows))
    models, found = by_models(record, run.systems), []
    for key, row in run.own.rows.items():
        known = record.rows.get(key)
        like = models if has_model(row.system, run.systems) else [known]
        for name, part in row.sets.items():
            line = {"row": row.system, "set": name, "row_key": key}
            compared = {"verdict": "not of record"}
            if known and name in known.sets:
                compared = held(part, known.sets[name], like, like is models)
            found.append(line | compared)
    spreads = {over: spread(models, over) for over in ("machines", "seeds")}
    report = {
        "data": {"run": run.own.fingerprint, "record": record.fingerprint},
        "spread": {over: one and one._asdict() for over, one in spreads.items()},
        "rows": found,
        "found": any(line["verdict"] == "outside" for line in found),
    }
    cutoffs = sorted({k for line in found for k in line.get("difference", ())})
    table = [["row", "set", *(f"R@{k}" for k in cutoffs), "spread", "row_key", ""]]
    for line in found:
        more = [line.get("difference", {}).get(k, "") for k in cutoffs]
        cells = ["=" if n == 0 else n and f"{n:+d}" for n in more]
        limit = f"{line['limit']:.2f}" if "limit" in line else ""
        table.append([line["row"], line["set"], *cells, limit, line["row_key"], line["verdict"]])
    verdicts = Counter(line["verdict"] for line in found)
    missing = "" if run.known else ", no such file"
    text = [f"Mentions found more or fewer than of record ({path}{missing}).", ""]
    if run.own.fingerprint != record.fingerprint:
        text += [f"Other data: fingerprint {run.own.fingerprint} and not {record.fingerprint}.", ""]
    for over, one in spreads.items():
        text.append(f"Spread over {over}: {one or 'no row of a model was repeated'}")
    text += ["", *aligned(table, right=range(2, 3 + len(cutoffs))), ""]
    text.append(f"Rows: {', '.join(f'{n} {verdict}' for verdict, n in verdicts.items())}.\n")
    tell(report, "\n".join(text), out)


def held(
    own: Measured, known: Measured, like: Sequence[RowOfRecord], by_model: bool
) -> dict[str, Any]:
    """How many mentions more were found than by the page's machine, and whether that is usual."""
    counts, there = (next(iter(one.machines.values())) for one in (own, known))
    difference = {k: counts[k] - there[k] for k in counts if k in there}
    points = 100 * max(map(abs, difference.values()), default=0) / own.mentions
    over_seeds = spread(like, "seeds")
    limit = max((one.points for one in (spread(like, "machines"), over_seeds) if one), default=0.0)
    verdict = "outside" if over_seeds or not by_model else "moved"
    if points <= limit + ROUNDING:
        verdict = "within" if points else "equal"
    return {"difference": difference, "limit": limit, "verdict": verdict}
