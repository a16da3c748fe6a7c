"""A run's rows beside the numbers of record: are they equal, and if not, is that usual?

A row that a model ranks is held against the widest spread of any such row over seeds and machines:
that of the row itself would be a range of few draws, which a further one often leaves. Further off
it is outside, as soon as any such row was repeated with seeds; a second machine alone does not show
how far rounding can carry a training. A row without a model (BM25) may lie no further off than the
machines of record do.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.text import aligned
from muver.reproduction.doctor import tell
from muver.reproduction.results_page import record as page
from muver.reproduction.results_page.record import OfRecord, RowOfRecord, Spread, Systems, spread
from muver.reproduction.results_page.tables import read_tables
from muver.reproduction.settings.file import read_params
from muver.reproduction.settings.resolve import resolve

ROUNDING = 1e-9  # points
Report = dict[str, Any]


def compare_record(
    *,
    folder: Path = Path("."),
    config: Iterable[tuple[str, Any]] = (),
    add: bool = False,
    out: Path | None = None,
) -> None:
    """Print how far rows are from the record.

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
    report = compare_with_record(folder, dict(config), add)
    tell(report, as_text(report), out)


def compare_with_record(project: Path, overrides: Mapping[str, Any], add: bool = False) -> Report:
    """Compare the rows in ``results/<dataset>`` of a project with those of record, by their keys.

    The report is as JSON has it: by row, set and cut-off the ``difference`` to the page's number in
    mentions, and the ``limit`` in points that its ``verdict`` follows; ``unknown`` rows, each with
    the key that the record has under its name. ``found`` says whether a row lies outside.
    """
    settings = resolve(read_params(project / "params.yaml"), overrides)
    workspace = settings.workspace
    path, results = page.path_of(project, workspace), project / "results" / workspace
    run, record = page.measured(read_tables(results), page.this_machine()), page.read_numbers(path)
    if run is None:
        raise InputError(f"{results}: no table of recall is in it. Make one: make table1")
    if add:
        if record is None:
            raise InputError(f"{path}: no such file. Write it first: make docs-results")
        write_json(path, page.added(record, run))
    return {
        "dataset": run.dataset,
        "record": path.as_posix(),
        "data": {"run": run.fingerprint, "record": record and record.fingerprint},
        **_compared(run, record or replace(run, rows={}), settings.systems),
    }


def _compared(run: OfRecord, record: OfRecord, systems: Systems) -> Report:
    modelled = page.ranked_by_models(record, systems)
    named = {(one, row.system): key for key, row in record.rows.items() for one in row.results}
    rows, unknown = [], []
    for key, row in run.rows.items():
        head = {"row_key": key, "system": row.system, "result": row.results[0]}
        if key in record.rows:
            like = modelled if page.has_model(row.system, systems) else None
            rows += [{**head, **line} for line in _lines(row, record.rows[key], like)]
        else:
            unknown.append({**head, "of_record": named.get((row.results[0], row.system))})
    spreads = {over: spread(modelled, over) for over in ("machines", "seeds")}
    return {
        "spread": {over: one and one._asdict() for over, one in spreads.items()},
        "rows": rows,
        "unknown": unknown,
        "found": any(line["verdict"] == "outside" for line in rows),
    }


def _lines(
    own: RowOfRecord, known: RowOfRecord, like: list[RowOfRecord] | None
) -> Iterator[Report]:
    """What a row found more than the page's machine, a line for each set; fewer is negative.

    ``like`` are all rows with a model; None for a row without.
    """
    found = [spread([known] if like is None else like, over) for over in ("machines", "seeds")]
    limit = max((one.points for one in found if one), default=0.0)
    further = "outside" if like is None or found[1] is not None else "moved"
    for name, part in own.sets.items():
        if name not in known.sets:
            continue
        counts, there = (next(iter(row.sets[name].machines.values())) for row in (own, known))
        difference = {k: counts[k] - there[k] for k in counts if k in there}
        points = 100 * max(map(abs, difference.values()), default=0) / part.mentions
        yield {
            "set": name,
            "mentions": part.mentions,
            "difference": difference,
            "points": points,
            "limit": limit,
            "verdict": (
                "equal" if points == 0 else "within" if points <= limit + ROUNDING else further
            ),
        }


def as_text(report: Report) -> str:
    """The report for people."""
    data, rows, unknown = report["data"], report["rows"], report["unknown"]
    if data["record"] is None:
        return (
            f"{report['record']}: no such file, so {report['dataset']} has no numbers of record.\n"
        )
    lines = [f"The rows of {report['dataset']} beside those of record ({report['record']}).", ""]
    for over, found in report["spread"].items():
        known = Spread(**found) if found else "no row of a model was repeated"
        lines.append(f"Spread over {over}: {known}")
    for result, name in dict.fromkeys((row["result"], row["set"]) for row in rows):
        own = [row for row in rows if (row["result"], row["set"]) == (result, name)]
        lines += ["", f"{result}, {own[0]['mentions']} mentions of {name}: found more or fewer", ""]
        lines += _table(own)
    if unknown:
        why = "other settings or another seed"
        if data["run"] != data["record"]:
            why = f"other data, fingerprint {data['run']} and not {data['record']}"
        lines += ["", f"Not of record ({why}):", ""]
        keys = ("result", "system", "row_key", "of_record")
        heads = [("result", "row", "row_key", "of record")]
        lines += aligned(heads + [tuple(row[key] or "-" for key in keys) for row in unknown])
    verdicts = [row["verdict"] for row in rows] + ["not of record"] * len(unknown)
    counts = ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts))
    return "\n".join([*lines, "", f"Rows: {counts}."]) + "\n"


def _table(rows: list[Report]) -> list[str]:
    cutoffs = [*rows[0]["difference"]]
    lines = [["row", *(f"R@{k}" for k in cutoffs), "spread", "row_key", ""]]
    for row in rows:
        more = (row["difference"].get(k, 0) for k in cutoffs)
        found = [f"{n:+d}" if n else "=" for n in more]
        lines.append([row["system"], *found, f"{row['limit']:.2f}", row["row_key"], row["verdict"]])
    return aligned(lines, right=range(1, 2 + len(cutoffs)))
