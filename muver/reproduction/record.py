"""The numbers of record: how many mentions each row found, in git as ``docs/results/DATASET.json``.

:mod:`muver.reproduction.results_page` writes them from a run, with a page beside them, and
:func:`compare_record` holds another run against them. A key stands for the same settings, data and
seed everywhere, so rounding alone can move its numbers between machines.

A row that a model ranks is held against the widest spread of any such row over seeds and machines:
its own would be a range of few draws. Further off it is outside, as soon as any such row was
repeated with seeds. A row without a model (BM25) may lie no further off than machines of record do.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from muver.io.errors import InputError
from muver.io.text import aligned
from muver.io.typed import Record, read_record
from muver.reproduction.settings.entries import AnySystem, named_by
from muver.reproduction.settings.params import Resolved
from muver.reproduction.settings.resolve import settings_in
from muver.reproduction.tables.records import AnyResult, Table, read_result, result_names
from muver.reproduction.tracking.provenance import this_machine

ROUNDING = 1e-9  # points
Hits = dict[int, int]  # mentions found, by cutoff
Spread = tuple[float, str]


class OnSet(Record):
    """What a row found on a set, by machine; the first machine's numbers are those of the page."""

    mentions: int
    machines: dict[str, Hits]
    seeds: dict[str, Hits]  # of the same row trained with other seeds, by system

    @property
    def of_page(self) -> Hits:
        """The numbers of the page."""
        return next(iter(self.machines.values()))


class RowOfRecord(Record):
    """A row, and the tables that it stands in."""

    system: str
    method: str
    results: list[str]
    sets: dict[str, OnSet]

    @property
    def cutoffs(self) -> set[int]:
        """The cut-offs of its numbers."""
        return {k for on_set in self.sets.values() for k in on_set.of_page}

    note: str | None = None


class OfRecord(Record):
    """A dataset's rows by key."""

    dataset: str
    fingerprint: str
    rows: dict[str, RowOfRecord]


class Run(NamedTuple):
    """A project's tables of a dataset, and the numbers of record to hold them against."""

    path: Path
    settings: Resolved
    tables: dict[str, AnyResult]
    found: OfRecord
    known: OfRecord | None  # the record, if there is one


def read_run(project: Path, config: Iterable[tuple[str, Any]]) -> Run:
    """Read what the settings, which ``config`` changes, say of a project's folder."""
    settings = settings_in(project, config)
    folder = project / "results" / settings.workspace
    tables = {name: read_result(folder / f"{name}.json") for name in result_names(folder)}
    if (rows := rows_of(tables.values(), this_machine())) is None:
        raise InputError(f"{folder}: no table of recall is in it. Make one: make table1")
    path, known = project / "docs/results" / f"{settings.workspace}.json", None
    if path.exists():
        again = "Remove it and make it again."
        known = read_record(path, OfRecord, "numbers of record", again)
    return Run(path, settings, tables, rows, known)


def rows_of(tables: Iterable[AnyResult], machine: str) -> OfRecord | None:
    """The rows of a run, made on this machine, that count the mentions of whole sets."""
    counting = [table for table in tables if isinstance(table, Table) and table.layout != "domains"]
    rows: dict[str, RowOfRecord] = {}
    for table in counting:
        for row in table.rows:
            entry = rows.setdefault(
                row.row_key, RowOfRecord(row.system, row.method, [], {}, row.note)
            )
            entry.results.append(table.name)
            systems = {key: system for system, key in row.seeds.items()}
            for line in table.lines:
                if line.row == row.system and not (line.world or line.category):
                    new = OnSet(line.mentions, {machine: {}}, {})
                    on_set = entry.sets.setdefault(line.set, new)
                    hits = on_set.machines[machine]
                    if line.key != row.row_key:
                        hits = on_set.seeds.setdefault(systems[line.key], {})
                    hits[line.k] = line.hits
    return OfRecord(counting[0].dataset, counting[0].fingerprint, rows) if rows else None


def has_model(system: str, systems: Mapping[str, AnySystem]) -> bool:
    """Whether a model has a part in a row; one that the settings no longer name counts as such."""
    if (entry := systems.get(system)) is None:
        return True
    return any(of == "models" or has_model(name, systems) for of, name in named_by(entry))


def spreads(rows: Iterable[RowOfRecord]) -> dict[str, Spread]:
    """The widest range of a row's numbers over ``machines`` and over ``seeds``, if any differ.

    In points, and in words with the row and the cutoff.
    """
    widest: dict[str, Spread] = {}
    for row in rows:
        for part in row.sets.values():
            machines, seeds = [*part.machines.values()], [*part.seeds.values()]
            # The record does not say on which machine the seeds were drawn.
            draws = [
                ("machines", machines),
                *(("seeds", [of_machine, *seeds]) for of_machine in machines),
            ]
            for over, repeats in (draw for draw in draws if len(draw[1]) > 1):
                for k in repeats[0]:
                    hits = [hits_of[k] for hits_of in repeats if k in hits_of]
                    points = 100 * (max(hits) - min(hits)) / part.mentions
                    where = f"({row.method}, R@{k}, {len(hits)} {over})"
                    spread = points, f"up to {points:.2f} points {where}"
                    widest[over] = max(widest.get(over, spread), spread)
    return widest


def compare_record(*, folder: Path = Path("."), config: Iterable[tuple[str, Any]] = ()) -> None:
    """After a run: its rows beside the numbers of record, which lie in docs/results.

    Prints how many mentions more or fewer rows found, by their keys.

    Ends with 1 if a row of equal key has numbers outside of the spread, 2 after bad input.

    Parameters
    ----------
    folder
        The project's folder, with params.yaml.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    """
    run = read_run(folder, config)
    known, systems = run.known.rows if run.known else {}, run.settings.systems
    of_models = spreads(row for row in known.values() if has_model(row.system, systems))
    cutoffs = sorted({k for row in run.found.rows.values() for k in row.cutoffs})
    table, verdicts = [["row", "set", *(f"R@{k}" for k in cutoffs), "spread", "row_key", ""]], []
    for key, row in run.found.rows.items():
        by_model = has_model(row.system, systems)
        for name, on_set in row.sets.items():
            cells, verdict = [""] * (len(cutoffs) + 1), "not of record"
            if key in known and name in known[key].sets:
                ours, theirs = on_set.of_page, known[key].sets[name].of_page
                more = {k: ours[k] - theirs[k] for k in ours if k in theirs}
                widest = of_models if by_model else spreads([known[key]])
                limit = max((points for points, _ in widest.values()), default=0.0)
                verdict = "outside" if "seeds" in widest or not by_model else "moved"
                points = 100 * max(map(abs, more.values()), default=0) / on_set.mentions
                if points <= limit + ROUNDING:
                    verdict = "within" if points else "equal"
                said = (f"{more[k]:+d}" if k in more else "" for k in cutoffs)
                cells = ["=" if cell == "+0" else cell for cell in said] + [f"{limit:.2f}"]
            table.append([row.system, name, *cells, key, verdict])
            verdicts.append(verdict)
    missing = "" if run.known else ", no such file"
    print(f"Mentions found more or fewer than of record ({run.path}{missing}).\n")
    if run.known and run.found.fingerprint != run.known.fingerprint:
        print(f"Other data: fingerprint {run.found.fingerprint} and not {run.known.fingerprint}.\n")
    for over in ("machines", "seeds"):
        _, said = of_models.get(over, (0, "no row of a model was repeated"))
        print(f"Spread over {over}: {said}")
    print("", *aligned(table, right=range(2, 3 + len(cutoffs))), "", sep="\n")
    print(f"Rows: {', '.join(f'{n} {verdict}' for verdict, n in Counter(verdicts).items())}.")
    if "outside" in verdicts:
        sys.exit(1)
