"""The tables as HTML: comparisons of rows on one set or several, other tables as their CSV says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from muver.report.cells import (
    difference_cell,
    key_cell,
    legend,
    macro_cell,
    method_cell,
    notes,
    recall_cell,
    recall_of,
    seeds_cell,
)
from muver.report.markup import details, grid, paragraph, text
from muver.report.problems import Problems
from muver.report.recorded import Addresses
from muver.report.results import Result
from muver.tables.page import Section
from muver.tables.sections import counts_of_sets, search_of_lines
from muver.tables.sections import lines_of as lines_of_comparison

Row = Mapping[str, Any]
LABELS = {"domain": "Domain", "set": "Set"}  # columns beside the method, where rows have them
VIEWS = {"searched": "merging", "merge_layers": "layers"}
READING = "below it the 95% bootstrap interval; the greatest of a column is bold and underlined."


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
        except (KeyError, TypeError, ValueError, AttributeError):
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
    if result.compares:
        parts += _comparison(result, addresses)
    elif result.grid:
        parts += _as_printed(result, addresses)
    else:
        parts.append(paragraph("This table cannot be shown; see the problems above.", "problem"))
    return "\n".join([*parts, "</section>"])


def _comparison(result: Result, addresses: Addresses) -> list[str]:
    """A note, the table itself, and what belongs to it."""
    data, cutoffs = result.data, _cutoffs(result)
    note = (data.get("paper") or {}).get("note")
    lines = lines_of(result)
    return [
        paragraph(" ".join(filter(None, [_subject(result), note]))),
        legend(lines),
        _main(result, cutoffs, addresses),
        notes(result.rows),
        _contrasts(data.get("contrasts") or [], cutoffs),
        *(_counts_and_search(data, lines) if data.get("kb") else []),
        *_further(data, lines, cutoffs),
    ]


def lines_of(result: Result) -> list[dict[str, Any]]:
    """What was measured of each row on each set; ``set`` is there over a knowledge base."""
    return lines_of_comparison(result.data) if "sets" in result.rows[0] else result.rows


def _cutoffs(result: Result) -> list[str]:
    data = result.data
    return [str(k) for k in ([data["cutoff"]] if "cutoff" in data else data["cutoffs"])]


def _subject(result: Result) -> str:
    data = result.data
    if data.get("kb"):
        return (
            f"{data['kb']['entities']} entities of the knowledge base {data['dataset']} are "
            "candidates of each mention. In-KB recall in percent: of the mentions whose gold "
            f"entity is in the knowledge base; {READING}"
        )
    one = data["sets"][0]
    worlds = ", ".join(one["worlds"])
    return (
        f"{one['mentions']} mentions of {worlds} in {data['dataset']}. Recall in percent, {READING}"
    )


def _main(result: Result, cutoffs: list[str], addresses: Addresses) -> str:
    """The table itself: a row a system, a column a set and cutoff."""
    rows = result.rows
    labels = {key: name for key, name in {**LABELS, **VIEWS}.items() if key in rows[0]}
    views = ["views_per_entity"] if "cutoff" in result.data else []
    columns = [(name, k) for name in result.sets for k in cutoffs]

    def part(row: Row, name: str) -> Row:
        return row["sets"][name] if "sets" in row else row

    def rivals(row: Row, name: str, k: str) -> list[float]:
        same = [other for other in rows if other.get("domain") == row.get("domain")]
        return [recall_of(part(other, name), k) for other in same]

    cells = [
        [
            method_cell(row),
            *(text("" if row[key] is None else row[key]) for key in labels),
            *(text("" if row[key] is None else f"{row[key]:.2f}") for key in views),
            *(
                recall_cell(own, k, best=recall_of(own, k) == max(rivals(row, name, k)))
                for name, k in columns
                for own in [part(row, name)]
            ),
            key_cell(result.name, row["row_key"], addresses),
        ]
        for row in rows
    ]
    header = [
        *("method", *labels.values(), *("# of Views" for _ in views)),
        *(f"{result.sets[name]} R@{k}".strip() for name, k in columns),
        "row_key and run",
    ]
    texts = (*range(1 + len(labels)), len(header) - 1)
    return grid(result.caption, header, cells, texts, "recall")


def _by_cutoff(
    title: str, lines: Sequence[Row], cutoffs: list[str], cell: Callable[[Row, str], str]
) -> str:
    """A grid with a line a method, and domain or set, and a column a cutoff."""
    labels = [key for key in LABELS if key in lines[0]]
    header = ["method", *(LABELS[key] for key in labels), *(f"R@{k}" for k in cutoffs)]
    cells = [
        [*(text(line[key]) for key in ("method", *labels)), *(cell(line, k) for k in cutoffs)]
        for line in lines
    ]
    return grid(title, header, cells, range(1 + len(labels)))


def _contrasts(lines: Sequence[Row], cutoffs: list[str]) -> str:
    if not lines:
        return ""
    title = "The paper's contrasts"
    note = (
        f"{title}: one row minus another over the same mentions, in points, with 95% interval and "
        "p-value."
    )
    if any(verdict for line in lines for verdict in line["verdict"].values()):
        note += " Below it the paper's difference, and whether what it claims holds here."
    return paragraph(note) + _by_cutoff(title, lines, cutoffs, difference_cell)


def _further(data: Row, lines: Sequence[Row], cutoffs: list[str]) -> list[str]:
    """Mean of worlds, paired tests and seeds, where the table has them."""
    parts = []
    if "macro" in lines[0] and not data["kb"]:
        title = "Mean of worlds, with intervals"
        parts.append(details(title, _by_cutoff(title, lines, cutoffs, macro_cell)))
    if tested := [line for line in lines if line.get("paired")]:
        title = f"Paired tests against {data['against']['method']}"
        content = _by_cutoff(
            f"{title}: difference in points, interval and p-value", tested, cutoffs,
            lambda line, k: difference_cell(line["paired"], k),
        )  # fmt: skip
        parts.append(details(title, content))
    if repeated := [line for line in lines if line.get("seeds")]:
        title = "Over seeds: mean and standard deviation"
        parts.append(details(title, _by_cutoff(title, repeated, cutoffs, seeds_cell)))
    return parts


def _counts_and_search(data: Row, lines: Sequence[Row]) -> list[str]:
    """Mentions in and outside the knowledge base; how each row searched it."""
    found = _section(search_of_lines(lines), texts=(0, 1, 3))
    approximate = any(line["index"] for line in lines)
    return [
        _section(counts_of_sets(data)),
        found if approximate else details("How candidates were found", found),
    ]


def _section(part: Section, texts: Sequence[int] = (0,)) -> str:
    cells = [[text(cell) for cell in row] for row in part.rows]
    return paragraph(part.note) + grid(part.heading, part.header, cells, texts)


def _as_printed(result: Result, addresses: Addresses) -> list[str]:
    """A CSV; a key that all its lines share stands below it."""
    header, *lines = result.grid
    rows = [dict(zip(header, line, strict=False)) for line in lines if line]
    keys = {row.get("row_key", "") for row in rows}
    shared = keys.pop() if len(keys) == 1 and len(rows) > 1 else ""
    columns = [name for name in header if not (shared and name == "row_key")]
    cells = [
        [
            key_cell(result.name, row.get(name, ""), addresses)
            if name == "row_key"
            else text(row.get(name, ""))
            for name in columns
        ]
        for row in rows
    ]
    texts = [
        n
        for n, name in enumerate(columns)
        if name == "row_key" or not all(_is_number(row.get(name, "")) for row in rows)
    ]
    parts = [grid(result.caption, columns, cells, texts)]
    if shared:
        parts.append(f"<p>row_key and run: {key_cell(result.name, shared, addresses)}</p>")
    return parts


def _is_number(cell: str) -> bool:
    return not cell or cell.rstrip("%M").replace(".", "", 1).replace("-", "", 1).isdigit()
