"""A run's rows beside the numbers of record: are they equal, and if not, is that usual?"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.results_page.record import (
    OfRecord,
    RowOfRecord,
    added,
    measured,
    path_of,
    read_numbers,
    spread,
    this_machine,
)
from muver.results_page.tables import read_tables
from muver.settings.file import read_params
from muver.settings.resolve import resolve

PAGE = Path("docs/results.md")
ROUNDING = 1e-9  # points
Line = dict[str, Any]


def compare_with_record(
    project: Path, overrides: Mapping[str, Any], add: bool = False
) -> dict[str, Any]:
    """Compare the rows in ``results/<dataset>`` with those of record, by their keys.

    Parameters
    ----------
    project
        The folder with params.yaml, ``results/`` and ``docs/``.
    overrides
        Settings that replace those of params.yaml: they say which dataset.
    add
        Add the numbers to the record afterwards, as those of one more machine.

    Returns
    -------
    The report, as JSON has it: by row, set and cut-off the ``difference`` to the page's number in
    mentions; the ``spread`` in points over machines and over seeds; ``unknown`` rows, each with the
    key that the record has under its name. ``found`` says whether a row lies outside both spreads.

    Raises
    ------
    InputError
        If there are no results, or nothing to add them to.
    """
    workspace = resolve(read_params(project / "params.yaml"), overrides)["workspace"]
    path, results = path_of(project / PAGE, workspace), project / "results" / workspace
    run, record = measured(read_tables(results), this_machine()), read_numbers(path)
    if run is None:
        raise InputError(f"{results}: no table of recall is in it. Make one: make table1")
    if add:
        if record is None:
            raise InputError(f"{path}: no such file. Write it first: make docs-results")
        write_json(path, added(record, run))
    return {
        "dataset": run.dataset,
        "record": path.as_posix(),
        "data": {"run": run.fingerprint, "record": record and record.fingerprint},
        **_compared(run, record or replace(run, rows={})),
    }


def _compared(run: OfRecord, record: OfRecord) -> dict[str, Any]:
    spreads = {over: spread(record, over) for over in ("machines", "seeds")}
    limit = max((one.points for one in spreads.values() if one), default=None)
    rows = [
        line
        for key, row in run.rows.items()
        if key in record.rows
        for line in _lines(key, row, record.rows[key], limit)
    ]
    named = {(one, row.system): key for key, row in record.rows.items() for one in row.results}
    unknown = [
        {
            "row_key": key,
            "system": row.system,
            "result": row.results[0],
            "of_record": named.get((row.results[0], row.system)),
        }
        for key, row in run.rows.items()
        if key not in record.rows
    ]
    return {
        "spread": {over: one and one._asdict() for over, one in spreads.items()},
        "rows": rows,
        "unknown": unknown,
        "found": any(line["verdict"] == "outside" for line in rows),
    }


def _lines(key: str, own: RowOfRecord, page: RowOfRecord, limit: float | None) -> Iterator[Line]:
    """What a row found more than the page's machine, a line for each set; fewer is negative."""
    for name, part in own.sets.items():
        if name not in page.sets:
            continue
        found, known = (next(iter(row.sets[name].machines.values())) for row in (own, page))
        difference = {k: found[k] - known[k] for k in found if k in known}
        points = 100 * max(map(abs, difference.values()), default=0) / part.mentions
        yield {
            "row_key": key,
            "system": own.system,
            "result": own.results[0],
            "set": name,
            "mentions": part.mentions,
            "difference": difference,
            "points": points,
            "verdict": _verdict(points, limit),
        }


def _verdict(points: float, limit: float | None) -> str:
    if points == 0:
        return "equal"
    if limit is None:
        return "moved"
    return "within" if points <= limit + ROUNDING else "outside"
