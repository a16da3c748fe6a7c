"""Tables as data, in full precision: what the JSON beside a table holds."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.errors import InputError
from muver.tables import paper
from muver.tables.interval import METHOD, intervals
from muver.tables.keys import row_key

TABLES = (1, 6)
SHARED = ("dataset", "fingerprint", "cutoffs", "mentions")


def build(
    number: int, rows: Sequence[Mapping[str, str]], evaluations: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Make Table 1 (one row a method) or Table 6 (one row a domain and method).

    Parameters
    ----------
    rows
        ``method`` (the row's name in the table) and ``system`` of each row, in order.
    evaluations
        What the evaluate stage wrote, one for each of these systems.

    Returns
    -------
    Of each row the counts, recall in percent (micro and macro), confidence interval, and, where
    the dataset is the paper's, the paper's value, the difference in points and a verdict.

    Raises
    ------
    InputError
        If an evaluation is missing, superfluous, or of other data or cutoffs than the rest.
    """
    if number not in TABLES:
        raise InputError(f"--number: {number} is not one of {', '.join(map(str, TABLES))}.")
    by_system = _by_system(rows, evaluations)
    first = by_system[rows[0]["system"]]
    for evaluation in by_system.values():
        for key in SHARED:
            if evaluation[key] != first[key]:
                raise InputError(
                    f"evaluation of {evaluation['system']}: {key} is {evaluation[key]}, that of "
                    f"{first['system']} is {first[key]}: a results file from other parameters. "
                    "Run the evaluate stage again for all rows."
                )
    comparable = first["dataset"] == paper.paper()["dataset"]
    make = _rows_by_method if number == 1 else _rows_by_domain
    return {
        "table": number,
        "caption": paper.paper()[f"table{number}"]["caption"],
        **{key: first[key] for key in SHARED},
        "worlds": sorted(first["worlds"]),
        "interval": METHOD,
        "paper": {
            "source": paper.paper()["source"],
            "dataset": paper.paper()["dataset"],
            "tolerance": paper.paper()["tolerance"],
            "note": None if comparable else _not_comparable(first["dataset"]),
        },
        "rows": make(rows, by_system, comparable),
    }


def _by_system(
    rows: Sequence[Mapping[str, str]], evaluations: Sequence[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    by_system: dict[str, dict[str, Any]] = {}
    for evaluation in evaluations:
        if by_system.setdefault(evaluation["system"], evaluation) is not evaluation:
            raise InputError(f"two evaluations of {evaluation['system']} were given.")
    wanted = [row["system"] for row in rows]
    if not wanted:
        raise InputError("--settings: rows is empty: a table needs at least one row.")
    if missing := [system for system in wanted if system not in by_system]:
        raise InputError(f"no evaluation of {', '.join(missing)} was given.")
    if extra := sorted(set(by_system) - set(wanted)):
        raise InputError(f"evaluations of {', '.join(extra)} were given, which have no row.")
    return by_system


def _rows_by_method(
    rows: Sequence[Mapping[str, str]], by_system: Mapping[str, dict[str, Any]], comparable: bool
) -> list[dict[str, Any]]:
    built = []
    for row in rows:
        found = by_system[row["system"]]
        built.append(
            {
                "method": row["method"],
                "system": row["system"],
                "row_key": row_key(found["settings"], found["fingerprint"]),
                "mentions": found["mentions"],
                "hits": found["hits"],
                "micro": found["micro"],
                "interval": intervals(found["hits"], found["mentions"]),
                "macro": found["macro"],
                "worlds": found["worlds"],
                **_compare(1, row["method"], found["micro"], comparable),
            }
        )
    return built


def _rows_by_domain(
    rows: Sequence[Mapping[str, str]], by_system: Mapping[str, dict[str, Any]], comparable: bool
) -> list[dict[str, Any]]:
    built = []
    for domain in sorted(by_system[rows[0]["system"]]["worlds"]):
        for row in rows:
            found = by_system[row["system"]]
            world = found["worlds"][domain]
            built.append(
                {
                    "method": row["method"],
                    "system": row["system"],
                    "domain": domain,
                    "row_key": row_key(found["settings"], found["fingerprint"]),
                    "mentions": world["mentions"],
                    "hits": world["hits"],
                    "recall": world["recall"],
                    "interval": intervals(world["hits"], world["mentions"]),
                    **_compare(6, row["method"], world["recall"], comparable, domain),
                }
            )
    return built


def _compare(
    number: int,
    method: str,
    ours: Mapping[str, float],
    comparable: bool,
    domain: str | None = None,
) -> dict[str, Any]:
    theirs = None
    if comparable:
        theirs = paper.published(number, method, [int(k) for k in ours], domain)
    if theirs is None:
        return {"paper": None, "difference": None, "verdict": None}
    points = paper.difference(ours, theirs)
    return {
        "paper": theirs,
        "difference": points,
        "verdict": {k: paper.verdict(value) for k, value in points.items()},
    }


def _not_comparable(dataset: str) -> str:
    return (
        f"The paper's numbers are for {paper.paper()['dataset']}; this table is made on "
        f"{dataset}, so they do not stand beside ours."
    )
