"""The page of record, ``docs/results/DATASET.md``, and the numbers of record beside it."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json, write_text
from muver.reproduction.record import OfRecord, has_model, read_run, spreads
from muver.reproduction.tables.cells import KEY, Page, Section
from muver.reproduction.tables.pages import page_of
from muver.reproduction.tables.records import LEFT_OUT, AnyResult, Table
from muver.reproduction.tables.render import TEMPLATES, to_markdown
from muver.reproduction.tracking.provenance import commit, refuse_changes, this_machine

HEAD = TEMPLATES / "record.md"
WEIGHTS = re.compile(r" ?Validation chose weights .*? by hits at [^.]*\.")  # in a row's note


def write_results_page(
    project: Path = Path("."),
    command: str = "make results",
    config: Iterable[tuple[str, Any]] = (),
    uncommitted: bool = False,
) -> None:
    """Write docs/results/DATASET.md, the page of record, and its numbers beside it.

    Parameters
    ----------
    project
        The run's folder, with params.yaml and results/.
    command
        What was typed to make the results.
    config
        Settings that replace those of the project's params.yaml: they say which dataset, and by
        ``results`` which tables the page has.
    uncommitted
        Write it although what makes the numbers differs from the commit; the page says so.
    """
    if not uncommitted:
        refuse_changes(project)
    run = read_run(project, config)
    name, (revision, changed) = run.path.stem, commit(project)
    record = replaced(run.known, run.found, run.tables)
    latest = max((project / f"results/{name}/{table}.json").stat().st_mtime for table in run.tables)
    head = HEAD.read_text(encoding="utf-8").format(
        name=name,
        fingerprint=run.found.fingerprint,
        command=command,
        commit=f"`{revision}`{changed}" if revision else "not known",
        day=f"{datetime.fromtimestamp(latest, UTC):%Y-%m-%d}",
        machine=this_machine(),
    )
    rows = [row for row in record.rows.values() if has_model(row.system, run.settings.systems)]
    blocks = [
        head,
        *(f"Spread over {over}: {spread}.\n" for over, (_, spread) in spreads(rows).items()),
    ]
    shown = [table for name, table in run.tables.items() if name in run.settings.results]
    for page in map(page_of, map(_shorter, shown)):
        seeds = [section for section in page.sections if section.heading == "Over seeds"]
        sections = list(map(_narrower, seeds or page.sections[:1]))
        blocks.append(to_markdown(Page(page.title, sections), 2))
    text = "\n".join(blocks)
    if any(len(p.parts) > 1 and f"{p}" in text for p in (project.resolve(), Path.home())):
        raise InputError("a folder of this machine would stand on the page: change --command.")
    write_text(run.path.with_suffix(".md"), _said_once(text))
    write_json(run.path, record)


def replaced(old: OfRecord | None, new: OfRecord, tables: Iterable[str]) -> OfRecord:
    """The record after the tables named were made again for the page.

    What other machines and seeds measured of the same rows stays. A row that no table has any more
    goes; with other data all go.
    """
    if old is None or old.fingerprint != new.fingerprint:
        return new
    rows, remade = dict(new.rows), set(tables)
    for key, before in old.rows.items():
        row = rows.get(key, replace(before, results=[]))
        sets = {}
        for name, on_set in row.sets.items():
            other = before.sets.get(name, on_set)
            machines = {**on_set.machines, **other.machines, **on_set.machines}
            seeds = {**other.seeds, **on_set.seeds}
            sets[name] = replace(on_set, machines=machines, seeds=seeds)
        results = row.results + [name for name in before.results if name not in remade]
        rows[key] = replace(row, results=results, sets=sets)
    return replace(new, rows={key: row for key, row in rows.items() if row.results})


def _shorter(table: AnyResult) -> AnyResult:
    """A table whose notes leave the weights of sums to the record."""
    if not isinstance(table, Table):
        return table
    rows = [replace(row, note=WEIGHTS.sub("", row.note or "") or None) for row in table.rows]
    return replace(table, rows=rows)


def _narrower(section: Section) -> Section:
    """A table without what the record alone has: of a figure the bounds of its bands and the key,
    which all lines share; of rows under two protocols, recall at every other rank.
    """
    if "difference low" in section.header:
        left_out = [name for name in section.header if name.endswith((" low", " high", KEY))]
    elif any(LEFT_OUT in cells[0] for cells in section.rows):
        left_out = ["R@2", "R@8", "R@32", "R@50"]
    else:
        return section
    return section.only([n for n, name in enumerate(section.header) if name not in left_out])


def _said_once(text: str) -> str:
    """A page on which a sentence, or a footnote, stands at the first table that has it."""
    printed, blocks = set(), []
    for block in text.strip().split("\n\n"):
        if block[:1] not in "#|":
            parts = [block] if block[:1] in "[ " else re.split(r"(?<=\.) (?=[A-Z])", block)
            block = " ".join(part for part in parts if part not in printed)
            printed.update(parts)
        blocks += [block] if block else []
    return "\n\n".join(blocks) + "\n"
