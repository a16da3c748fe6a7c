"""Table 6: every unseen domain by itself, and our mean of them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from muver.evaluation.bootstrap import method
from muver.tables import contrasts
from muver.tables.evaluations import Evaluations
from muver.tables.footnotes import with_footnotes
from muver.tables.numbers import percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import paper
from muver.tables.sections import by_cutoff, intervals, mentions_note, reference
from muver.tables.verdict import compare

Table = dict[str, Any]
MEAN = "macro mean"  # in place of a domain; the paper has no such rows


def build(
    name: str,
    caption: str,
    rows: list[dict[str, Any]],
    pairs: Sequence[Sequence[str]],
    evaluations: Evaluations,
) -> Table:
    """The table as data, in full precision: a row a domain and method, then the means.

    Parameters
    ----------
    rows
        ``method`` and ``system``.
    pairs
        Of systems, for :mod:`muver.tables.contrasts`, in each domain.

    Returns
    -------
    Of each row ``recall`` in percent with its bootstrap interval, and, where the dataset is the
    paper's, the published values, the differences in points and verdicts. The means have no
    ``hits``. Beside the rows ``contrasts``, each with its ``domain``.
    """
    shared = evaluations.shared(name)
    built = []
    for domain in shared["worlds"]:
        for row in rows:
            world = evaluations.by_system[row["system"]]["worlds"][domain]
            theirs = evaluations.published(name, row["system"], domain)
            built.append(
                {
                    **evaluations.identity(row),
                    "domain": domain,
                    **{key: world[key] for key in ("mentions", "hits", "recall", "interval")},
                    **compare(world["recall"], theirs, world["mentions"]),
                }
            )
    for row in rows:
        found = evaluations.by_system[row["system"]]
        built.append(
            {
                **evaluations.identity(row),
                "domain": MEAN,
                "mentions": found["mentions"],
                "hits": None,
                "recall": found["macro"],
                "interval": found["interval"]["macro"],
                **compare(found["macro"], None, found["mentions"]),
            }
        )
    return {
        "name": name,
        "caption": caption,
        **shared,
        "interval": method(shared["resample"]),
        "rows": built,
        "contrasts": [
            {**one, "domain": domain}
            for domain in shared["worlds"]
            for one in contrasts.build(
                pairs,
                rows,
                evaluations,
                partial(evaluations.published, name, domain=domain),
                domain,
            )
        ],
    }


def page(table: Table) -> Page:
    """The table for people."""
    sections = [
        _main(table),
        *reference(table, "paper", "Against the paper", paper()["source"]),
        *contrasts.section(table),
        intervals(table, lambda row: row["interval"]),
    ]
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    note = f"{mentions_note(table)} {MEAN}: the mean of the domains, each counting the same."
    part = by_cutoff(table, "", note, table["rows"], _recall)
    best = best_cells(part.rows, range(2, len(part.header)), group=lambda cells: cells[1])
    rows = [[*cells, row["row_key"]] for cells, row in zip(part.rows, table["rows"], strict=True)]
    main = Section(part.heading, part.note, [*part.header, "row_key"], rows, best)
    return with_footnotes(main, table["rows"])


def _recall(row: dict[str, Any], k: str) -> str:
    if row["hits"] is None:
        return f"{row['recall'][k]:.2f}"
    return percent(row["hits"][k], row["mentions"])
