"""Table 6: recall on each unseen domain, and our mean of them."""

from functools import partial
from typing import Any

from muver.tables import contrasts
from muver.tables.evaluations import TableFiles, head, identity, read_one_set
from muver.tables.numbers import percent
from muver.tables.page import Page, Section, best_cells
from muver.tables.paper import paper
from muver.tables.sections import by_cutoff, intervals, main_section, note_of, reference
from muver.tables.settings import Domains, systems_of
from muver.tables.verdict import compare

Table = dict[str, Any]
MEAN = "macro mean"  # instead of a domain; the paper has no such rows


def build(name: str, caption: str, settings: Domains, files: TableFiles) -> Table:
    """The table as data, in full precision: a row per domain and method, then the means.

    Returns
    -------
    The head; ``contrasts``, each with its ``domain``; and ``rows`` with ``recall`` in percent, its
    bootstrap interval and, on the paper's dataset, published values, differences in points and
    verdicts. The means have no ``hits``.
    """
    found = read_one_set(files, systems_of(settings.rows))
    table = head(name, "domains", caption, {found.first["set"]: found})
    worlds = table["sets"][0]["worlds"]
    methods = {row.system: row.method for row in settings.rows}
    identities = {row.system: identity(row, {"": found}) for row in settings.rows}
    built = []
    for domain in worlds:
        for system, own in identities.items():
            world = found.by_system[system]["worlds"][domain]
            theirs = found.published(name, system, domain)
            built.append(
                {
                    **own,
                    "domain": domain,
                    **{key: world[key] for key in ("mentions", "hits", "recall", "interval")},
                    **compare(world["recall"], theirs, world["mentions"]),
                }
            )
    for system, own in identities.items():
        one = found.by_system[system]
        built.append(
            {
                **own,
                "domain": MEAN,
                "mentions": one["mentions"],
                "hits": None,
                "recall": one["macro"],
                "interval": one["interval"]["macro"],
                **compare(one["macro"], None, one["mentions"]),
            }
        )
    return {
        **table,
        "rows": built,
        "contrasts": [
            {**one, "domain": domain}
            for domain in worlds
            for one in contrasts.build(
                settings.contrasts,
                methods,
                found,
                partial(found.published, name, domain=domain),
                domain,
            )
        ],
    }


def page(table: Table) -> Page:
    """The table for people."""
    rows, cutoffs = table["rows"], table["cutoffs"]
    sections = [
        _main(table),
        *reference(cutoffs, rows, "paper", "Against the paper", paper()["source"]),
        *contrasts.section(table, cutoffs),
        intervals(table, cutoffs, rows),
    ]
    return Page(f"{table['caption']}, {table['dataset']}", sections)


def _main(table: Table) -> Section:
    note = f"{note_of(table)} {MEAN}: the mean of the domains, each counting the same."
    part = by_cutoff(table["cutoffs"], "", note, table["rows"], _recall)
    best = best_cells(part.rows, range(2, len(part.header)), group=lambda cells: cells[1])
    return main_section(note, part.header, part.rows, table["rows"], best)


def _recall(row: dict[str, Any], k: str) -> str:
    if row["hits"] is None:
        return f"{row['recall'][k]:.2f}"
    return percent(row["hits"][k], row["mentions"])
