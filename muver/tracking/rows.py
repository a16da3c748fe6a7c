"""A table's rows as entries: one run a row, or a parent with one run a seed under it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from muver.tables.keys import row_key
from muver.tables.sections import lines_of
from muver.tracking import describe, notes
from muver.tracking.entry import Data, Entry
from muver.tracking.files import Files, of_other_parameters
from muver.tracking.row_entry import row_entry
from muver.tracking.seeds import above_seeds
from muver.tracking.sweep import above_layers

Row = Mapping[str, Any]


def entries(table: Mapping[str, Any], source: str, files: Files, options: str = "") -> list[Entry]:
    """What is recorded of each row, in the table's order; everything is checked first.

    Parameters
    ----------
    table
        JSON of the table.
    source
        Path of the table's CSV, as the workflow names it.
    options
        What follows a call of snakemake that makes it.

    Raises
    ------
    InputError
        If the table was not made from these evaluations, a file is missing, or one was changed
        after it was scored.
    """
    rows = lines_of(table) if table.get("kind") == "comparison" else table["rows"]
    found = [_row(row, source, files, options) for row in rows]
    if any(row.get("search") for row in rows):
        return above_layers(rows, found, table["cutoffs"], files.figures)
    times = Counter(row["method"] for row in rows)
    return [
        replace(entry, name=f"{entry.name} ({row['system']})")
        if times[row["method"]] > 1
        else entry
        for row, entry in zip(rows, found, strict=True)
    ]


def _row(row: Row, source: str, files: Files, options: str) -> Entry:
    system, method = row["system"], row["method"]
    own = _entry(system, row, source, files, options)
    evaluation = files.evaluations[system, ""]
    if own.key != row["row_key"] or not _made_of(row, evaluation):
        raise of_other_parameters(files.paths[system, ""], method)
    numbers, verdicts = describe.against(row, describe.digits(evaluation["cutoffs"]))
    own = replace(own, metrics={**own.metrics, **numbers}, tags={**own.tags, **verdicts})
    if not row.get("seeds"):
        return own
    runs = [own]
    for other, recall in row["seeds"]["values"].items():
        if other != system:
            runs.append(_entry(other, {"method": method}, source, files, options))
            if files.evaluations[other, ""]["micro"] != recall:
                raise of_other_parameters(files.paths[other, ""], method)
    return above_seeds(own, runs, row["seeds"], evaluation["cutoffs"])


def _entry(system: str, row: Row, source: str, files: Files, options: str) -> Entry:
    """A run of one system."""
    method = row["method"]
    found = files.of(system, method)
    evaluation = found.evaluation
    key = row_key(evaluation["settings"], evaluation["fingerprint"])
    return row_entry(
        files,
        system,
        {"": found},
        evaluation,
        key=key,
        name=method,
        tags=describe.tags(evaluation, method),
        metrics=describe.metrics(evaluation),
        note=notes.row_note(evaluation, row, key, source, found.path.as_posix(), options),
        source=source,
        data=Data(
            evaluation["dataset"],
            evaluation["fingerprint"],
            files.source,
            evaluation["settings"].get("retrieve", {}).get("split", ""),
            {"num_rows": evaluation["mentions"], "worlds": len(evaluation["worlds"])},
        ),
        hashed={"": found.run},
    )


def _made_of(row: Row, evaluation: Mapping[str, Any]) -> bool:
    """Whether a row's hits, at the cutoffs it has, are the evaluation's."""
    return row["hits"].items() <= evaluation["hits"].items()
