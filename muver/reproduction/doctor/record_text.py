"""A comparison with the numbers of record in words."""

from collections.abc import Mapping
from typing import Any

from muver.io.text import aligned
from muver.reproduction.results_page.record import Spread

OTHER = {
    True: "these are other data, so no row can be compared",
    False: "other settings or another seed",
}


def as_text(report: Mapping[str, Any]) -> str:
    """The report of :func:`muver.reproduction.doctor.record.compare_with_record` for people."""
    data, rows = report["data"], report["rows"]
    if data["record"] is None:
        return (
            f"{report['record']}: no such file, so {report['dataset']} has no numbers of record.\n"
        )
    lines = [
        f"The rows of {report['dataset']} beside the numbers of record ({report['record']}).",
        "",
    ]
    for over, found in report["spread"].items():
        known = Spread(**found) if found else "no row of a model was repeated"
        lines += [f"Spread over {over}: {known}"]
    for result, name in dict.fromkeys((row["result"], row["set"]) for row in rows):
        own = [row for row in rows if (row["result"], row["set"]) == (result, name)]
        lines += ["", f"{result}, {own[0]['mentions']} mentions of {name}: found more or fewer", ""]
        lines += _table(own)
    if other := data["run"] != data["record"]:
        lines += ["", f"Data: fingerprint {data['run']}, of record {data['record']}."]
    if report["unknown"]:
        lines += ["", f"Not of record ({OTHER[other]}):", ""]
        lines += aligned([_unknown(row) for row in report["unknown"]])
    verdicts = [row["verdict"] for row in rows]
    counts = [f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts)]
    counts += [f"{len(report['unknown'])} not of record"] if report["unknown"] else []
    return "\n".join([*lines, "", f"Rows: {', '.join(counts)}."]) + "\n"


def _table(rows: list[Mapping[str, Any]]) -> list[str]:
    cutoffs = [*rows[0]["difference"]]
    head = ["row", *(f"R@{k}" for k in cutoffs), "spread", "row_key", ""]
    cells = []
    for row in rows:
        more = [row["difference"].get(k, 0) for k in cutoffs]
        cells.append(
            [
                row["system"],
                *(f"{n:+d}" if n else "=" for n in more),
                f"{row['limit']:.2f}",
                row["row_key"],
                row["verdict"],
            ]
        )
    return aligned([head, *cells], right=range(1, 2 + len(cutoffs)))


def _unknown(row: Mapping[str, Any]) -> list[str]:
    there = f"of record: {row['of_record']}" if row["of_record"] else "no such row of record"
    return [row["result"], row["system"], row["row_key"], there]
