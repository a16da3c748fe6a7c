"""Table 6: recall on each unseen domain, and our mean of them."""

from functools import partial

from msgspec.structs import asdict

from muver.reproduction.tables import contrasts
from muver.reproduction.tables.evaluations import TableFiles, read_one_set, row_of, table_of
from muver.reproduction.tables.numbers import percent
from muver.reproduction.tables.page import (
    Page,
    Section,
    best_cells,
    intervals,
    main_section,
    note_of,
    reference,
)
from muver.reproduction.tables.paper import compare
from muver.reproduction.tables.records import DomainRow, DomainsTable, Part
from muver.reproduction.tables.settings import Domains, systems_of
from muver.retriever.evaluation.records import Evaluation, Means, Scores

MEAN = "macro mean"  # instead of a domain; the paper has no such rows


def build(name: str, caption: str, settings: Domains, files: TableFiles) -> DomainsTable:
    """A row per domain and method, then the means."""
    found = read_one_set(files, systems_of(settings.rows))
    by_set = {found.first.set: found}
    worlds = sorted(found.first.worlds)
    methods = {row.system: row.method for row in settings.rows}
    rows, contrasted = [], []
    for domain in (*worlds, MEAN):
        for row in settings.rows:
            scores = _scores(found.by_system[row.system], domain)
            theirs = found.published(name, row.system, domain)
            judged = compare(scores.micro, theirs, scores.mentions)
            sets = {found.first.set: Part(**asdict(scores), paper=judged, readme={})}
            rows.append(row_of(DomainRow, row, by_set, domain=domain, sets=sets))
    for domain in worlds:
        published = partial(found.published, name, domain=domain)
        contrasted += contrasts.build(settings.contrasts, methods, found, published, domain, domain)
    return table_of(DomainsTable, name, caption, by_set, rows=rows, contrasts=contrasted)


def _scores(evaluation: Evaluation, domain: str) -> Scores:
    """The scores in one domain, or their mean."""
    own = evaluation.worlds.get(domain)
    if own is None:
        hits, recall, interval = {}, evaluation.macro, evaluation.interval.macro
        mentions, worlds = evaluation.mentions, evaluation.worlds
    else:
        hits, recall, interval = own.hits, own.recall, own.interval
        mentions, worlds = own.mentions, {domain: own}
    return Scores(mentions, hits, recall, recall, worlds, Means(interval, interval))


def page(table: DomainsTable) -> Page:
    cutoffs = table.cutoffs
    lines = [({"method": row.method, "Domain": row.domain}, row.part) for row in table.rows]
    sections = [
        _main(table),
        *reference(cutoffs, lines),
        *contrasts.section(table, cutoffs, "Domain"),
        intervals(table, cutoffs, lines),
    ]
    return Page(f"{table.caption}, {table.dataset}", sections)


def _main(table: DomainsTable) -> Section:
    note = f"{note_of(table)} {MEAN.capitalize()}: the mean of the domains, each counting the same."
    header = ["method", "Domain", *(f"R@{k}" for k in table.cutoffs)]
    cells = [
        [row.method, row.domain, *(_recall(row.part, k) for k in table.cutoffs)]
        for row in table.rows
    ]
    best = best_cells(cells, range(2, len(header)), group=lambda cells: cells[1])
    return main_section(note, header, cells, table.rows, best)


def _recall(part: Part, k: int) -> str:
    return percent(part.hits[k], part.mentions) if part.hits else f"{part.micro[k]:.2f}"
