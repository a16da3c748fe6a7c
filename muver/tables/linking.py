"""Table 2: In-KB recall against all of Wikipedia, on three benchmarks of entity linking."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from muver.evaluation import significance
from muver.evaluation.bootstrap import method
from muver.evaluation.precision import reduced_precision
from muver.io.errors import InputError
from muver.tables import contrasts
from muver.tables.evaluations import Evaluations
from muver.tables.footnotes import with_footnotes
from muver.tables.keys import row_key, sets_fingerprint
from muver.tables.linked_evaluations import COUNTS
from muver.tables.linked_sections import counts, lines_of, search
from muver.tables.numbers import percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import Recall, linked_sets, linked_size, paper, published
from muver.tables.sections import intervals, paired_tests, precision_note, reference
from muver.tables.verdict import compare

Table = dict[str, Any]
Line = dict[str, Any]


def build(
    name: str,
    caption: str,
    rows: list[dict[str, Any]],
    against: str | None,
    pairs: Sequence[Sequence[str]],
    found: Mapping[str, Evaluations],
) -> Table:
    """The table as data, in full precision: a row a system, with its numbers by set.

    Parameters
    ----------
    rows
        ``method`` and ``system``.
    against
        System of the row that the others are tested against, or None.
    pairs
        Of systems, for :mod:`muver.tables.contrasts`, on each set.
    found
        Evaluations by set, in the order of the columns.

    Returns
    -------
    Of the table the ``kb`` and of each set its counts, and whether both are those of the published
    numbers (``of_paper``; :func:`_set`). Of each row by set the counts of hits, In-KB recall in
    percent with bootstrap intervals, the ``index`` with its agreement, ``paired``, the comparison
    with the row of ``against``, and, where the set is the paper's, its values, the differences in
    points and verdicts. Beside the rows ``contrasts``, each with its ``set``.
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
            "note": _comparability(shared["kb"], sets),
        },
        "resample": shared["resample"],
        "interval": method(shared["resample"]),
        "against": against and {"system": against, "method": methods[against]},
        "rows": built,
        "contrasts": [
            {**contrast, "set": one["column"]}
            for one in sets
            for contrast in contrasts.build(
                pairs, rows, found[one["set"]], partial(_published, name, one, shared["cutoffs"])
            )
        ],
    }


def _set(name: str, evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """A set's counts, and whether the published numbers are of these mentions and entities.

    They are over the mentions whose gold entity is in BLINK's catalogue. A set is the paper's if
    the knowledge base is, by its counts, and the mentions inside it are as many as BLINK's up to
    paper.yaml's ``tolerance.support``.
    """
    theirs = linked_size(name)
    off = theirs and abs(evaluation["mentions"] - theirs["support"]) / theirs["support"]
    return {
        "set": name,
        "column": linked_sets().get(name, {}).get("column", name),
        "mentions": evaluation["mentions"],
        **{key: evaluation[key] for key in COUNTS},
        "fingerprint": evaluation["fingerprint"],
        "published": theirs,
        "of_paper": theirs is not None
        and evaluation["identified_as"] == paper()["table2"]["dataset"]
        and off <= paper()["tolerance"]["support"],
    }


def _published(
    name: str, one: Mapping[str, Any], cutoffs: Sequence[int], system: str
) -> Recall | None:
    """A row's published recall on a set, None where the set is another."""
    return published(name, system, cutoffs, one["column"]) if one["of_paper"] else None


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
        paired = significance.paired(*ranks, found["cutoffs"], found["resample"])
    theirs = _published(name, one, found["cutoffs"], system)
    return {
        **{key: found[key] for key in ("mentions", "hits", "micro")},
        "interval": found["interval"]["micro"],
        **{key: found[key] for key in ("views_per_entity", "index")},
        "paired": paired,
        **compare(found["micro"], theirs, found["mentions"]),
    }


def _comparability(kb: Mapping[str, Any], sets: list[dict[str, Any]]) -> str | None:
    """Why published numbers do not stand beside ours: in all or for some sets."""
    other = [one for one in sets if one["published"] and not one["of_paper"]]
    if not other:
        return None
    if kb["entities"] != (wanted := other[0]["published"]["entities"]):
        return (
            f"The paper's numbers are for a knowledge base of {wanted} entities; this one has "
            f"{kb['entities']}, so they do not stand beside ours."
        )
    counted = ", ".join(
        f"{one['column']} ({one['mentions']}, BLINK's numbers are over "
        f"{one['published']['support']})"
        for one in other
    )
    return (
        f"The paper's numbers for {counted} do not stand beside ours: the mentions with their gold "
        f"in the knowledge base differ by more than {paper()['tolerance']['support']:.0%}."
    )


def page(table: Table) -> Page:
    """The table for people."""
    lines = {**table, "rows": lines_of(table)}
    sections = [
        _main(table),
        counts(table),
        *reference(lines, "paper", "Against the paper", paper()["source"]),
        *contrasts.section(table),
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
