"""The tables as HTML: recall with intervals and verdicts, and the further grids of their pages."""

import re
from collections.abc import Mapping, Sequence

from muver.reproduction.grid import table as grid_table
from muver.reproduction.report.cells import key_cell, recall_cell
from muver.reproduction.report.markup import details, paragraph
from muver.reproduction.report.recorded import Addresses
from muver.reproduction.report.results import OPEN, Result
from muver.reproduction.tables import comparison, domains, parameters, records, statistics, views
from muver.reproduction.tables.html import cell as plain_cell
from muver.reproduction.tables.html import grid, text, texts
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.sections import RULE

PAGES = {
    records.ComparisonTable: comparison.page,
    records.ViewsTable: views.page,
    records.DomainsTable: domains.page,
    records.StatisticsTable: statistics.page,
    records.ParametersTable: parameters.page,
    records.GridResult: grid_table.page,
}
READING = (
    "Recall in percent, below it the 95% bootstrap interval; the greatest of a column is bold and "
    "underlined."
)
QUALIFIED = re.compile(r"([+-]?[\d.]+) (\(.*)")  # a number, and in brackets what is said of it


def tables(results: Sequence[Result], drawings: Mapping[str, str], addresses: Addresses) -> str:
    """A section for each result, with its drawing first where it has one."""
    parts = [table(result, addresses, drawings.get(result.name, "")) for result in results]
    return "\n".join(parts)


def table(result: Result, addresses: Addresses, drawing: str = "") -> str:
    """A section with one result."""
    parts = [f'<section id="{text(result.name)}"><h3>{text(result.caption)}</h3>']
    if drawing:
        label = text(result.caption)
        parts.append(f'<div class="drawing" role="img" aria-label="{label}">{drawing}</div>')
    page = _page(result)
    if page is None:
        parts.append(paragraph("This table cannot be shown; see the problems above.", "problem"))
    else:
        main, *further = page.sections
        parts += [*_main(result, main, addresses), *map(_further, further)]
    return "\n".join([*filter(None, parts), "</section>"])


def _page(result: Result) -> Page | None:
    """What people read of a result in every format; of figures and damaged ones the CSV."""
    if make := PAGES.get(type(result.table)):
        return make(result.table)
    if not result.grid:
        return None
    header, *rows = result.grid
    complete = [row for row in rows if len(row) == len(header)]
    return Page(result.caption, [Section("", "", header, complete)])


def _main(result: Result, main: Section, addresses: Addresses) -> list[str]:
    """The table itself; a key that all its lines share stands once, below it."""
    keys = {n for n, name in enumerate(main.header) if name.startswith("row_key")}
    values = {row[n] for row in main.rows for n in keys}
    shared = len(values) == 1 and len(main.rows) > 1
    columns = [n for n in range(len(main.header)) if not (shared and n in keys)]
    recall = _recall_columns(result, main)

    def cell(line: int, column: int) -> str:
        content = main.rows[line][column]
        if column in keys:
            return key_cell(result.name, content, addresses)
        if column not in recall:
            return _cell(main, line, column)
        name, k = recall[column]
        part = result.table.rows[line].sets[name]
        return recall_cell(content, part, k, best=(line, column) in main.best)

    cells = [[cell(line, n) for n in columns] for line in range(len(main.rows))]
    header = [main.header[n] for n in columns]
    parts = [paragraph(f"{main.note} {READING}" if recall else main.note)]
    rows = result.table.rows if recall else ()
    if any(part.published for row in rows for part in row.sets.values()):
        parts.append(
            paragraph(
                f"Below an interval: the published number, ours minus it, a verdict. {RULE}",
                "legend",
            )
        )
    parts.append(grid(result.caption, header, cells, texts(header), "recall" if recall else ""))
    if shared:
        parts.append(f"<p>row_key: {key_cell(result.name, values.pop(), addresses)}</p>")
    parts += [
        f'<p class="legend"><sup>{letter}</sup> {text(note)}</p>'
        for letter, note in main.footnotes.items()
    ]
    return parts


def _recall_columns(result: Result, main: Section) -> dict[int, tuple[str, int]]:
    """Set and cutoff of each column that has a row's recall; Table 3 has two rows in a line."""
    table = result.compared
    if table is None or isinstance(table, records.ViewsTable):
        return {}
    columns = [(one.set, k) for one in table.sets for k in table.cutoffs]
    return dict(enumerate(columns, start=len(main.header) - 1 - len(columns)))


def _further(section: Section) -> str:
    """A further grid of a table's page; comparisons of rows stand open."""
    columns = range(len(section.header))
    cells = [[_cell(section, line, n) for n in columns] for line in range(len(section.rows))]
    content = paragraph(section.note) + grid(
        section.heading, section.header, cells, texts(section.header), "further"
    )
    if section.heading.startswith(OPEN):
        return f"<h4>{text(section.heading)}</h4>\n{content}"
    return details(section.heading, content)


def _cell(section: Section, line: int, column: int) -> str:
    """A text; what stands in brackets after a number is set smaller, below it."""
    if qualified := QUALIFIED.fullmatch(section.rows[line][column]):
        lines = "<br>".join(map(text, re.split(r"(?<=\)), |; ", qualified[2])))
        return f'<span>{qualified[1]}</span><span class="sub">{lines}</span>'
    return plain_cell(section, line, column)
