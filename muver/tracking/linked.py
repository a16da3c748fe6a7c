"""Table 2's rows as entries: one run a row, which holds the numbers of all its sets."""

from collections.abc import Mapping
from typing import Any

from muver.tables.keys import row_key, sets_fingerprint
from muver.tracking import describe, notes
from muver.tracking.entry import Data, Entry
from muver.tracking.files import Files, Scored, of_other_parameters
from muver.tracking.row_entry import row_entry

Row = Mapping[str, Any]
Evaluation = Mapping[str, Any]


def linked_entries(
    table: Mapping[str, Any], source: str, files: Files, options: str = ""
) -> list[Entry]:
    """As :func:`muver.tracking.rows.entries`, of Table 2; ``files`` are by set."""
    return [_entry(row, table, source, files, options) for row in table["rows"]]


def _entry(row: Row, table: Mapping[str, Any], source: str, files: Files, options: str) -> Entry:
    system, method = row["system"], row["method"]
    found = {name: files.of(system, method, name) for name in row["sets"]}
    evaluations = {name: one.evaluation for name, one in found.items()}
    settings = next(iter(evaluations.values()))["settings"]
    fingerprint = sets_fingerprint({name: one["fingerprint"] for name, one in evaluations.items()})
    key = row_key(settings, fingerprint)
    for name, one in found.items():
        same = row["sets"][name]["hits"] == one.evaluation["hits"]
        if key != row["row_key"] or not same:
            raise of_other_parameters(one.path, method)
    return row_entry(
        files,
        system,
        found,
        {"cutoffs": table["cutoffs"], "worlds": evaluations},
        key=key,
        name=method,
        tags=_tags(row, table, evaluations),
        metrics=_metrics(row, table, evaluations),
        note=_note(row, table, source, found, options),
        source=source,
        data=Data(
            table["dataset"],
            table["fingerprint"],
            files.source,
            ", ".join(evaluations),
            {
                "num_rows": sum(one["mentions"] for one in table["sets"]),
                "entities": table["kb"]["entities"],
            },
        ),
        hashed={f"_{name}": one.run for name, one in found.items()},
    )


def _metrics(
    row: Row, table: Mapping[str, Any], evaluations: Mapping[str, Evaluation]
) -> dict[str, float]:
    """Recall in percent under ``aida-testb/recall_at_010``, and what belongs to it.

    The bounds of its interval stand under ``aida-testb_low/...`` and ``aida-testb_high/...``,
    published values and ours minus them under ``aida-testb_paper/...`` and
    ``aida-testb_difference/...``: sorted by name, what is of a set stands together.
    """
    width = describe.digits(table["cutoffs"])
    metrics: dict[str, float] = {}
    for name, part in row["sets"].items():
        metrics |= describe.recalls(name, part["micro"], width)
        for side, group in enumerate(("low", "high")):
            bounds = {k: both[side] for k, both in part["interval"]["micro"].items()}
            metrics |= describe.recalls(f"{name}_{group}", bounds, width)
        for group in ("paper", "difference"):
            metrics |= describe.recalls(f"{name}_{group}", part[group] or {}, width)
        metrics[f"{name}/mentions"] = evaluations[name]["mentions"]
        metrics[f"{name}/outside_kb"] = evaluations[name]["outside"]
        if part["index"] is not None:
            metrics[f"{name}/index_agreement"] = part["index"]["agreement"]
        if part["views_per_entity"] is not None:
            metrics["views_per_entity"] = part["views_per_entity"]
    return metrics


def _tags(
    row: Row, table: Mapping[str, Any], evaluations: Mapping[str, Evaluation]
) -> dict[str, str]:
    """Names by which a run is found; ``verdict_aida-testb_at_010`` where there is a verdict."""
    width = describe.digits(table["cutoffs"])
    first = next(iter(evaluations.values()))
    whole = {
        **first,
        "dataset": table["dataset"],
        "fingerprint": table["fingerprint"],
        "mentions": sum(evaluation["mentions"] for evaluation in evaluations.values()),
    }
    verdicts = {
        f"verdict_{name}_at_{int(k):0{width}d}": verdict
        for name, part in row["sets"].items()
        for k, verdict in (part["verdict"] or {}).items()
        if verdict is not None
    }
    return {
        **describe.tags(whole, row["method"]),
        "sets": ", ".join(evaluations),
        "model_fingerprint": first["model"],
        "index": first["index"]["factory"] if first["index"] else "exact",
        **verdicts,
    }


def _note(
    row: Row, table: Mapping[str, Any], source: str, found: Mapping[str, Scored], options: str
) -> str:
    parts = []
    for one in table["sets"]:
        evaluation = found[one["set"]].evaluation
        parts += [
            f"**{one['column']}**, In-KB; {one['outside']} more mentions have their entity "
            "outside the knowledge base.",
            notes.recalls(evaluation, row["sets"][one["set"]]),
        ]
    alone = " ".join(one.path.as_posix() for one in found.values())
    return "\n\n".join(
        [
            f"**{row['method']}** on {table['dataset']}, {table['kb']['entities']} entities: row "
            f"`{row['row_key']}` of `{source}`.",
            *parts,
            notes.how_to(source, alone, options),
        ]
    )
