"""Table 2: In-KB recall against all of Wikipedia, on three benchmarks of entity linking."""

from collections.abc import Mapping
from typing import Any

from muver.errors import InputError
from muver.evaluation import significance
from muver.evaluation.bootstrap import METHOD
from muver.evaluation.precision import reduced_precision
from muver.tables.evaluations import Evaluations
from muver.tables.footnotes import with_footnotes
from muver.tables.keys import row_key, sets_fingerprint
from muver.tables.linked_evaluations import COUNTS
from muver.tables.linked_sections import counts, lines_of, search
from muver.tables.numbers import percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import comparability, linked_sets, linked_size, paper, published
from muver.tables.sections import intervals, paired_tests, precision_note, reference
from muver.tables.verdict import compare

Table = dict[str, Any]
Line = dict[str, Any]


def build(
    name: str,
    caption: str,
    rows: list[dict[str, Any]],
    against: str | None,
    found: Mapping[str, Evaluations],
) -> Table:
    """The table as data, in full precision: a row a system, with its numbers by set.

    Parameters
    ----------
    rows
        ``method`` and ``system``.
    against
        System of the row that the others are tested against, or None.
    found
        Evaluations by set, in the order of the columns.

    Returns
    -------
    Of the table the ``kb`` and of each set its counts, and whether both are the paper's
    (``of_paper``). Of each row by set the counts of hits, In-KB recall in percent with bootstrap
    intervals, the ``index`` with its agreement, ``paired``, the comparison with the row of
    ``against``, and, where the set is the paper's, its values, the differences in points and
    verdicts.
    """
    methods = {row["system"]: row["method"] for row in rows}
    if against is not None and against not in methods:
        raise InputError(f"--settings: against is {against!r}, which is no row of the table.")
    first = {own: next(iter(evaluations.by_system.values())) for own, evaluations in found.items()}
    shared = next(iter(first.values()))
    sets = [_set(own, evaluation) for own, evaluation in first.items()]
    fingerprint = sets_fingerprint({one["set"]: one["fingerprint"] for one in sets})
    built = []
    for row in rows:
        system = row["system"]
        settings = found[sets[0]["set"]].by_system[system]["settings"]
        built.append(
            {
                **row,
                "row_key": row_key(settings, fingerprint),
                "precision": reduced_precision(settings),
                "sets": {
                    one["set"]: _numbers(name, row, one, against, found[one["set"]]) for one in sets
                },
            }
        )
    return {
        "name": name,
        "caption": caption,
        "dataset": shared["kb"]["dataset"],
        "fingerprint": fingerprint,
        "kb": shared["kb"],
        "cutoffs": shared["cutoffs"],
        "sets": sets,
        "paper": {
            "source": paper()["source"],
            "dataset": paper()[name]["dataset"],
            "tolerance": paper()["tolerance"],
            "note": _comparability(name, shared["kb"], sets),
        },
        "interval": METHOD,
        "against": against and {"system": against, "method": methods[against]},
        "rows": built,
    }


def _set(name: str, evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """A set's counts, and whether they and the knowledge base are the paper's."""
    kb = evaluation["kb"]
    ours = {"mentions": evaluation["mentions_in_all"], "entities": kb["entities"]}
    return {
        "set": name,
        "column": linked_sets().get(name, {}).get("column", name),
        "mentions": evaluation["mentions"],
        **{key: evaluation[key] for key in COUNTS},
        "fingerprint": evaluation["fingerprint"],
        "of_paper": kb["dataset"] == paper()["table2"]["dataset"] and ours == linked_size(name),
    }


def _numbers(
    name: str,
    row: Mapping[str, Any],
    one: Mapping[str, Any],
    against: str | None,
    evaluations: Evaluations,
) -> dict[str, Any]:
    """What a row has of one set."""
    system = row["system"]
    found = evaluations.by_system[system]
    paired = None
    if against is not None and system != against:
        ranks = evaluations.ranks(system), evaluations.ranks(against)
        paired = significance.paired(*ranks, found["cutoffs"])
    theirs = published(name, row["method"], found["cutoffs"], one["column"])
    return {
        **{key: found[key] for key in ("mentions", "hits", "micro")},
        "interval": found["interval"]["micro"],
        **{key: found[key] for key in ("views_per_entity", "index")},
        "paired": paired,
        **compare(found["micro"], theirs if one["of_paper"] else None, found["mentions"]),
    }


def _comparability(name: str, kb: Mapping[str, Any], sets: list[dict[str, Any]]) -> str | None:
    """Why published numbers do not stand beside ours, of the whole table or of some sets."""
    told = comparability(name, kb["dataset"])
    other = [one["column"] for one in sets if not one["of_paper"] and linked_size(one["set"])]
    if told or not other:
        return told
    return (
        f"The paper's numbers for {', '.join(other)} do not stand beside ours, as the number of "
        "mentions or of entities is another than the paper's."
    )


def page(table: Table) -> Page:
    """The table for people."""
    lines = {**table, "rows": lines_of(table)}
    sections = [
        _main(table),
        counts(table),
        *reference(lines, "paper", "Against the paper", paper()["source"]),
        intervals(lines, lambda line: line["interval"]),
        *paired_tests(lines),
        search(lines["rows"]),
    ]
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    cutoffs = [str(k) for k in table["cutoffs"]]
    header = ["method", *(f"{one['column']} R@{k}" for one in table["sets"] for k in cutoffs)]
    rows = []
    for row in table["rows"]:
        parts = [row["sets"][one["set"]] for one in table["sets"]]
        rows.append(
            [row["method"], *(percent(p["hits"][k], p["mentions"]) for p in parts for k in cutoffs)]
        )
    best = best_cells(rows, range(1, len(header)))
    keyed = [[*cells, row["row_key"]] for cells, row in zip(rows, table["rows"], strict=True)]
    main = Section("", _note(table), [*header, "row_key"], keyed, best)
    return with_footnotes(main, table["rows"])


def _note(table: Table) -> str:
    counted = "; ".join(
        f"{one['column']} {one['mentions']} mentions (outside: {one['outside_kb']})"
        for one in table["sets"]
    )
    parts = [
        "In-KB recall: of the mentions whose gold entity is in the knowledge base, with its "
        f"{table['kb']['entities']} entities as candidates. {counted}.",
        *([table["paper"]["note"]] if table["paper"]["note"] else []),
        *precision_note(table["rows"]),
    ]
    return " ".join(parts)
