"""A run's rows beside the numbers of record: are they equal, and if not, is that usual?

A row that a model ranks is held against the widest spread of any such row over seeds and machines:
that of the row itself would be a range of few draws, which a further one often leaves. Further off
it is outside, as soon as any such row was repeated with seeds; a second machine alone does not show
how far rounding can carry a training. A row without a model (BM25) may lie no further off than the
machines of record do.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.reproduction.results_page.record import (
    OfRecord,
    RowOfRecord,
    Systems,
    added,
    has_model,
    measured,
    path_of,
    ranked_by_models,
    read_numbers,
    spread,
    this_machine,
)
from muver.reproduction.results_page.tables import read_tables
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve

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
    mentions, and the ``limit`` in points that its ``verdict`` follows; the ``spread`` of rows with
    a model over machines and over seeds; ``unknown`` rows, each with the key that the record has
    under its name. ``found`` says whether a row lies outside.

    Raises
    ------
    InputError
        If there are no results, or nothing to add them to.
    """
    settings = resolve(read_params(project / "params.yaml"), overrides)
    workspace = settings["workspace"]
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
        **_compared(run, record or replace(run, rows={}), settings["systems"]),
    }


def _compared(run: OfRecord, record: OfRecord, systems: Systems) -> dict[str, Any]:
    modelled = ranked_by_models(record, systems)
    spreads = {over: spread(modelled, over) for over in ("machines", "seeds")}
    rows = []
    for key, row in run.rows.items():
        if key in record.rows:
            page = record.rows[key]
            like = modelled if has_model(row.system, systems) else None
            rows += _lines(key, row, page, *_limit(page, like))
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


def _limit(row: RowOfRecord, like: list[RowOfRecord] | None) -> tuple[float, bool]:
    """How far a row may move in points, and whether one that moves further is outside.

    Parameters
    ----------
    like
        All rows with a model; None for a row without.
    """
    found = [spread([row] if like is None else like, over) for over in ("machines", "seeds")]
    points = max((one.points for one in found if one), default=0.0)
    return points, like is None or found[1] is not None


def _lines(
    key: str, own: RowOfRecord, page: RowOfRecord, limit: float, decides: bool
) -> Iterator[Line]:
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
            "limit": limit,
            "verdict": _verdict(points, limit, decides),
        }


def _verdict(points: float, limit: float, decides: bool) -> str:
    if points == 0:
        return "equal"
    if points <= limit + ROUNDING:
        return "within"
    return "outside" if decides else "moved"
