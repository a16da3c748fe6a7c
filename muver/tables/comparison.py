"""Tables that compare systems: Table 1 and those of our own, a row a system."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from muver.evaluation import significance
from muver.evaluation.bootstrap import method
from muver.io.errors import InputError
from muver.tables import contrasts
from muver.tables.evaluations import Evaluations
from muver.tables.footnotes import with_footnotes
from muver.tables.numbers import bounds, percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import paper
from muver.tables.sections import by_cutoff, intervals, mentions_note, paired_tests, reference
from muver.tables.verdict import compare

Table = dict[str, Any]


def build(
    name: str,
    caption: str,
    rows: list[dict[str, Any]],
    against: str | None,
    pairs: Sequence[Sequence[str]],
    evaluations: Evaluations,
) -> Table:
    """The table as data, in full precision.

    Parameters
    ----------
    rows
        ``method``, ``system`` and ``repeats`` (the same row's systems of further seeds).
    against
        System of the row that the others are tested against, or None.
    pairs
        Of systems, for :mod:`muver.tables.contrasts`.

    Returns
    -------
    Of each row the counts, recall in percent (micro, and macro, the mean of worlds) with bootstrap
    intervals; ``paired``, the comparison with the row of ``against`` (None for that row);
    ``seeds``, each seed's recall with mean and sample standard deviation (None without repeats);
    and, where the dataset is the paper's, the published values, the differences in points and
    verdicts. Beside the rows ``contrasts``.
    """
    methods = {row["system"]: row["method"] for row in rows}
    if against is not None and against not in methods:
        raise InputError(f"--settings: against is {against!r}, which is no row of the table.")
    shared = evaluations.shared(name)
    built = []
    for row in rows:
        found = evaluations.by_system[row["system"]]
        seeds = _seeds(row, evaluations)
        measured = (found["mentions"], [*seeds["values"].values()] if seeds else [])
        values = evaluations.published(name, row["system"])
        readme = evaluations.published(name, row["system"], source="readme")
        built.append(
            {
                **evaluations.identity(row),
                **{key: found[key] for key in ("mentions", "hits", "micro", "interval", "macro")},
                **{key: found[key] for key in ("worlds", "views_per_entity")},
                "paired": _paired(row["system"], against, evaluations),
                "seeds": seeds,
                **compare(found["micro"], values, *measured),
                **compare(found["micro"], readme, *measured, "readme"),
            }
        )
    return {
        "name": name,
        "caption": caption,
        **shared,
        "interval": method(shared["resample"]),
        "against": against and {"system": against, "method": methods[against]},
        "rows": built,
        "contrasts": contrasts.build(
            pairs, rows, evaluations, lambda system: evaluations.published(name, system)
        ),
    }


def _seeds(row: Mapping[str, Any], evaluations: Evaluations) -> dict[str, Any] | None:
    systems = [row["system"], *row["repeats"]]
    if len(systems) == 1:
        return None
    values = {system: evaluations.by_system[system]["micro"] for system in systems}
    cutoffs = values[row["system"]]
    return {
        "values": values,
        "mean": {k: mean(recall[k] for recall in values.values()) for k in cutoffs},
        "spread": {k: stdev(recall[k] for recall in values.values()) for k in cutoffs},
    }


def _paired(system: str, against: str | None, evaluations: Evaluations) -> dict[str, Any] | None:
    if against is None or system == against:
        return None
    found = evaluations.by_system[system]
    ranks = evaluations.ranks(system), evaluations.ranks(against)
    return significance.paired(*ranks, found["cutoffs"], found["resample"])


def page(table: Table) -> Page:
    """The table for people."""
    sections = [_main(table)]
    if table["name"] in paper():
        sections += _references(table)
    sections += contrasts.section(table)
    sections += [_macro(table), intervals(table, lambda row: row["interval"]["micro"])]
    sections += paired_tests(table) + _over_seeds(table)
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    part = by_cutoff(
        table,
        "",
        mentions_note(table),
        table["rows"],
        lambda row, k: percent(row["hits"][k], row["mentions"]),
    )
    best = best_cells(part.rows, range(1, len(part.header)))
    rows = [[*cells, row["row_key"]] for cells, row in zip(part.rows, table["rows"], strict=True)]
    main = Section(part.heading, part.note, [*part.header, "row_key"], rows, best)
    return with_footnotes(main, table["rows"])


def _references(table: Table) -> list[Section]:
    of_paper = reference(table, "paper", "Against the paper", paper()["source"])
    for part in of_paper:
        part.rows.extend(_quoted(table))
    readme = paper()["readme_source"]
    return of_paper + reference(table, "readme", "Against the released README", readme)


def _quoted(table: Table) -> list[list[str]]:
    """The paper's rows that we do not make."""
    rows = []
    for quoted, row in paper()[table["name"]].get("quoted", {}).items():
        values = dict(zip(paper()["columns"], row["values"], strict=True))
        found = [values.get(k) for k in table["cutoffs"]]
        rows.append([quoted, *("-" if value is None else f"{value:.2f}" for value in found)])
    return rows


def _macro(table: Table) -> Section:
    return by_cutoff(
        table,
        "Mean of worlds",
        f"Macro recall: every world counts the same. In brackets the {table['interval']}.",
        table["rows"],
        lambda row, k: f"{row['macro'][k]:.2f} ({bounds(row['interval']['macro'][k])})",
    )


def _over_seeds(table: Table) -> list[Section]:
    repeated = [row for row in table["rows"] if row["seeds"] is not None]
    if not repeated:
        return []
    numbers = sorted({len(row["seeds"]["values"]) for row in repeated})
    note = (
        f"Mean of {' or '.join(map(str, numbers))} seeds, and their sample standard deviation in "
        "points. The rows above are the first seed's."
    )

    def cell(row: Mapping[str, Any], k: str) -> str:
        return f"{row['seeds']['mean'][k]:.2f} ± {row['seeds']['spread'][k]:.2f}"

    return [by_cutoff(table, "Over seeds", note, repeated, cell)]
