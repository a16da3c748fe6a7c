"""The numbers of record of a dataset: how many mentions each row found, by machine and by seed.

They lie in git beside the page of record, as ``docs/results/DATASET.json``. A key stands for the
same settings, data and seed everywhere, so rounding alone can move its numbers between machines.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from muver.io.typed import Record, read_record
from muver.reproduction.settings.entries import AnySystem, model_of, rows_named_by
from muver.reproduction.tables.records import AnyResult, ComparisonTable, Part, ViewsTable

Hits = dict[int, int]  # mentions found, by cutoff
Systems = Mapping[str, AnySystem]  # the section of the settings


class Measured(Record):
    """What a row found on a set, by machine; the first machine's numbers are those of the page."""

    mentions: int
    machines: dict[str, Hits]
    seeds: dict[str, Hits]  # of the same row trained with other seeds, by system


class RowOfRecord(Record):
    """A row, and the tables that it stands in."""

    system: str
    method: str
    results: list[str]
    sets: dict[str, Measured]


class OfRecord(Record):
    """A dataset's rows by key."""

    dataset: str
    fingerprint: str
    rows: dict[str, RowOfRecord]


class Spread(NamedTuple):
    """How far apart numbers lie that have no reason to differ, or none but the seed."""

    points: float
    method: str  # the row that differs most
    cutoff: int
    number: int
    over: str  # so many machines or seeds

    def __str__(self) -> str:
        where = f"{self.method}, R@{self.cutoff}, {self.number} {self.over}"
        return f"up to {self.points:.2f} points ({where})"


def read_numbers(path: Path) -> OfRecord | None:
    """The numbers of record in a file; None if there is none."""
    if not path.exists():
        return None
    return read_record(path, OfRecord, "numbers of record", "Remove it and make it again.")


def measured(tables: Mapping[str, AnyResult], where: str) -> OfRecord | None:
    """The rows of a run, made on the machine ``where``, that count the mentions of whole sets."""
    rows: dict[str, RowOfRecord] = {}
    counting = [one for one in tables.values() if isinstance(one, ComparisonTable | ViewsTable)]
    for table in counting:
        for row in table.rows:
            sets = {name: _measured(part, row.system, where) for name, part in row.sets.items()}
            own = RowOfRecord(row.system, row.method, [], sets)
            rows[row.row_key] = joined(rows.get(row.row_key, own), own)
            rows[row.row_key].results.append(table.name)
    return OfRecord(counting[0].dataset, counting[0].fingerprint, rows) if counting else None


def _measured(part: Part, system: str, where: str) -> Measured:
    repeats = getattr(part, "seeds", None)
    seeds = {
        name: {k: round(recall * part.mentions / 100) for k, recall in recalls.items()}
        for name, recalls in (repeats.values.items() if repeats else ())
        if name != system
    }
    return Measured(part.mentions, {where: part.hits}, seeds)


def joined(first: RowOfRecord, second: RowOfRecord | None) -> RowOfRecord:
    """A row with the numbers of two recordings, in the order of the first.

    Of one machine the second's count, of one seed the first's: these are of the page's machine.
    """
    sets = {}
    for name, part in first.sets.items():
        other = second.sets.get(name, part) if second else part
        machines, seeds = {**part.machines, **other.machines}, {**other.seeds, **part.seeds}
        sets[name] = replace(part, machines=machines, seeds=seeds)
    return replace(first, sets=sets)


def replaced(old: OfRecord | None, new: OfRecord, tables: Iterable[str]) -> OfRecord:
    """The record after the tables named were made again for the page.

    What other machines and seeds measured of the same rows stays. A row that no table has any more
    goes; with other data all go.
    """
    if old is None or old.fingerprint != new.fingerprint:
        return new
    rows, made = {}, set(tables)
    for key, row in {**old.rows, **new.rows}.items():
        before, now = old.rows.get(key), new.rows.get(key)
        elsewhere = [name for name in before.results if name not in made] if before else []
        if results := [*(now.results if now else []), *elsewhere]:
            if now:  # the page's machine first, with its new numbers
                row = joined(joined(now, before), now)
            rows[key] = replace(row, results=results)
    return replace(new, rows=rows)


def by_models(record: OfRecord, systems: Systems) -> list[RowOfRecord]:
    """The rows that seeds and rounding can move: those of a model, alone or fused with others."""
    return [row for row in record.rows.values() if has_model(row.system, systems)]


def has_model(system: str, systems: Systems) -> bool:
    """Whether a model has a part in a row; one that the settings no longer name counts as such."""
    if (own := systems.get(system)) is None:
        return True
    return bool(model_of(own)) or any(has_model(part, systems) for part in rows_named_by(own))


def spread(rows: Iterable[RowOfRecord], over: str) -> Spread | None:
    """The widest range of a row's numbers over machines or seeds; None if nothing was repeated."""
    found = []
    for row in rows:
        for part in row.sets.values():
            machines, seeds = [*part.machines.values()], [*part.seeds.values()]
            # The record does not say on which machine the seeds were drawn.
            draws = [machines] if over == "machines" else [[one, *seeds] for one in machines]
            for repeats in (one for one in draws if len(one) > 1):
                for k in repeats[0]:
                    hits = [one[k] for one in repeats if k in one]
                    points = 100 * (max(hits) - min(hits)) / part.mentions
                    found.append(Spread(points, row.method, k, len(hits), over))
    return max(found, default=None)
