"""The tables as HTML: recall with intervals and verdicts, and the further grids of their pages."""

import re
from collections.abc import Mapping, Sequence

from muver.grid import table as grid_table
from muver.report.cells import key_cell, legend, method_cell, notes, recall_cell
from muver.report.markup import details, grid, paragraph, text
from muver.report.problems import Problems
from muver.report.recorded import Addresses
from muver.report.results import OPEN, Result
from muver.tables import comparison, domains, parameters, statistics, views
from muver.tables.page import Page, Section
from muver.tables.render import TEXT_COLUMNS

PAGES = {
    "comparison": comparison.page,
    "views": views.page,
    "domains": domains.page,
    "statistics": statistics.page,
    "parameters": parameters.page,
    "grid": grid_table.page,
}
READING = (
    "Recall in percent, below it the 95% bootstrap interval; the greatest of a column is bold and "
    "underlined."
)
QUALIFIED = re.compile(r"([+-]?[\d.]+) (\(.*)")  # a number, and in brackets what is said of it


def tables(
    results: Sequence[Result],
    drawings: Mapping[str, str],
    addresses: Addresses,
    problems: Problems,
) -> str:
    """A section for each result, with its drawing first where it has one.

    A result whose JSON was written by another version is a problem, and is shown as its CSV says.
    """
    parts = []
    for result in results:
        drawing = drawings.get(result.name, "")
        try:
            parts.append(table(result, addresses, drawing))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            problems.add(
                f"{result.name}: its JSON is not as this version writes it. Make the table again."
            )
            parts.append(table(Result(result.name, None, result.grid), addresses, drawing))
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
        flat = result.compares and result.data["kind"] != "views"
        parts += (_recall if flat else _printed)(result, main, addresses)
        parts += [notes(result.rows), *map(_further, further)]
    return "\n".join([*filter(None, parts), "</section>"])


def _page(result: Result) -> Page | None:
    """What people read of a result in every format; of others, as of figures, the CSV."""
    make = PAGES.get((result.data or {}).get("kind"))
    if make is not None:
        return make(result.data)
    if not result.grid:
        return None
    header, *rows = result.grid
    complete = [row for row in rows if len(row) == len(header)]
    return Page(result.caption, [Section("", "", header, complete)])


def _recall(result: Result, main: Section, addresses: Addresses) -> list[str]:
    """A row a system, and a column a set and cutoff, each number with what is known of it."""
    columns = [(name, str(k)) for name in result.sets for k in result.data["cutoffs"]]
    first = len(main.header) - 1 - len(columns)  # after method and domain
    cells = []
    for line, (row, texts) in enumerate(zip(result.rows, main.rows, strict=True)):
        numbers = [
            recall_cell(texts[n], result.part(row, name), k, best=(line, n) in main.best)
            for n, (name, k) in enumerate(columns, start=first)
        ]
        key = key_cell(result.name, row["row_key"], addresses)
        cells.append([method_cell(row), *map(text, texts[1:first]), *numbers, key])
    header = [*main.header[:-1], "row_key and run"]
    return [
        paragraph(f"{main.note} {READING}"),
        legend([result.part(row, name) for row in result.rows for name in result.sets]),
        grid(result.caption, header, cells, (*range(first), len(header) - 1), "recall"),
    ]


def _printed(result: Result, section: Section, addresses: Addresses) -> list[str]:
    """A grid of texts; a key that all its lines share stands once, below it."""
    keys = {n for n, name in enumerate(section.header) if name.startswith("row_key")}
    values = {row[n] for row in section.rows for n in keys}
    shared = len(values) == 1 and len(section.rows) > 1
    columns = [n for n in range(len(section.header)) if not (shared and n in keys)]
    cells = [
        [
            key_cell(result.name, row[n], addresses) if n in keys else _cell(section, line, n)
            for n in columns
        ]
        for line, row in enumerate(section.rows)
    ]
    header = [section.header[n] for n in columns]
    parts = [paragraph(section.note), grid(result.caption, header, cells, _texts(header))]
    if shared:
        parts.append(f"<p>row_key and run: {key_cell(result.name, values.pop(), addresses)}</p>")
    return parts


def _further(section: Section) -> str:
    """A further grid of a table's page; comparisons of rows stand open."""
    columns = range(len(section.header))
    cells = [[_cell(section, line, n) for n in columns] for line in range(len(section.rows))]
    content = paragraph(section.note) + grid(
        section.heading, section.header, cells, _texts(section.header), "further"
    )
    if section.heading.startswith(OPEN):
        return f"<h4>{text(section.heading)}</h4>\n{content}"
    return details(section.heading, content)


def _cell(section: Section, line: int, column: int) -> str:
    """A text; what stands in brackets after a number is set smaller, below it."""
    cell = section.rows[line][column]
    qualified = QUALIFIED.fullmatch(cell)
    if qualified is None:
        best = (line, column) in section.best
        return f'<b class="best">{text(cell)}</b>' if best else text(cell)
    lines = "<br>".join(map(text, re.split(r"(?<=\)), |; ", qualified[2])))
    return f'<span>{qualified[1]}</span><span class="sub">{lines}</span>'


def _texts(header: Sequence[str]) -> list[int]:
    return [n for n, name in enumerate(header) if name in TEXT_COLUMNS]
