"""The tables as HTML: those with recall by row, others as their CSV says."""

from collections.abc import Mapping, Sequence
from typing import Any

from muver.report.cells import (
    best_values,
    key_cell,
    legend,
    method_cell,
    notes,
    recall_cell,
    tested_cell,
)
from muver.report.contrasts import contrasts
from muver.report.embed import text
from muver.report.grids import details, grid, paragraph
from muver.report.linked_table import linked_recall
from muver.report.problems import Problems
from muver.report.recorded import Addresses
from muver.report.results import Result
from muver.tables.numbers import bounds

Row = Mapping[str, Any]
LABELS = {"domain": "Domain", "searched": "merging", "merge_layers": "layers"}


def tables(results: Sequence[Result], addresses: Addresses, problems: Problems) -> str:
    """All results; one whose JSON another version wrote is told, and shown as its CSV says."""
    parts = []
    for result in results:
        try:
            parts.append(table(result, addresses))
        except (KeyError, TypeError, ValueError, AttributeError):
            problems.tell(
                f"{result.name}: its JSON is not as this version writes it. Make the table again."
            )
            parts.append(table(Result(result.name, None, result.grid), addresses))
    return "\n".join(parts)


def table(result: Result, addresses: Addresses) -> str:
    """A section with one result; a result without rows of recall is shown as its CSV says."""
    name = text(result.name)
    parts = [f'<section id="{name}"><h3>{text(result.caption)}</h3>']
    if result.compares:
        parts += _recall(result, addresses)
    elif result.linked:
        parts += linked_recall(result, addresses)
    elif result.grid:
        parts.append(_as_printed(result, addresses))
    else:
        parts.append(paragraph("This table cannot be shown; see the problems above.", "problem"))
    return "\n".join([*parts, "</section>"])


def _recall(result: Result, addresses: Addresses) -> list[str]:
    data = result.data
    rows, note = result.rows, (data.get("paper") or {}).get("note")
    cutoffs = [str(k) for k in ([data["cutoff"]] if "cutoff" in data else data["cutoffs"])]
    labels = [key for key in LABELS if key in rows[0]]
    views = ["views_per_entity"] if "cutoff" in data else []
    header = ["method", *(LABELS[key] for key in labels), *("# of Views" for _ in views)]
    best = best_values(rows, cutoffs)
    cells = [
        [
            method_cell(row),
            *(text("" if row[key] is None else row[key]) for key in labels),
            *(text("" if row[key] is None else f"{row[key]:.2f}") for key in views),
            *(recall_cell(row, k, best) for k in cutoffs),
            key_cell(result.name, row["row_key"], addresses),
        ]
        for row in rows
    ]
    texts = (0, *range(1, 1 + len(labels)), len(header) + len(cutoffs))
    said = (
        f"{data['mentions']} mentions of {', '.join(data['worlds'])} in {data['dataset']}. Recall "
        "in percent, below it the 95% bootstrap interval; the greatest of a column is bold and "
        "underlined."
    )
    main = grid(
        result.caption, [*header, *(f"R@{k}" for k in cutoffs), "row_key and run"], cells, texts,
        "recall",
    )  # fmt: skip
    return [
        paragraph(" ".join(filter(None, [said, note]))), legend(rows), main, notes(rows),
        *contrasts(data, cutoffs),
        *_further(result, rows, cutoffs),
    ]  # fmt: skip


def _further(result: Result, rows: list[Row], cutoffs: list[str]) -> list[str]:
    """Mean of worlds, paired tests and seeds, where the table has them."""
    header = ["method", *(f"R@{k}" for k in cutoffs)]
    parts = []
    if "domain" not in rows[0]:
        cells = [[text(row["method"]), *(_with_bounds(row, k) for k in cutoffs)] for row in rows]
        parts.append(("Mean of worlds, with intervals", grid("Mean of worlds", header, cells)))
    tested = [row for row in rows if row.get("paired")]
    if tested:
        against = result.data["against"]["method"]
        cells = [[text(row["method"]), *(tested_cell(row, k) for k in cutoffs)] for row in tested]
        title = f"Paired tests against {against}"
        parts.append((title, grid(f"{title}: difference in points, p-value", header, cells)))
    repeated = [row for row in rows if row.get("seeds")]
    if repeated:
        cells = [[text(row["method"]), *(_seeds(row, k) for k in cutoffs)] for row in repeated]
        parts.append(("Over seeds", grid("Mean and standard deviation", header, cells)))
    return [details(title, content) for title, content in parts]


def _with_bounds(row: Row, k: str) -> str:
    sure = text(bounds(row["interval"]["macro"][k]))
    return f'<span>{row["macro"][k]:.2f}</span><span class="sub">{sure}</span>'


def _seeds(row: Row, k: str) -> str:
    return f"{row['seeds']['mean'][k]:.2f} \u00b1 {row['seeds']['spread'][k]:.2f}"


def _as_printed(result: Result, addresses: Addresses) -> str:
    header, *rows = result.grid
    keys = {n for n, title in enumerate(header) if title == "row_key"}
    cells = [
        [
            key_cell(result.name, cell, addresses) if n in keys else text(cell)
            for n, cell in enumerate(row)
        ]
        for row in rows
        if row
    ]
    texts = [
        n
        for n in range(len(header))
        if n in keys or not all(_is_number(row[n]) for row in rows if len(row) > n)
    ]
    return grid(result.caption, header, cells, texts)


def _is_number(cell: str) -> bool:
    return not cell or cell.rstrip("%M").replace(".", "", 1).replace("-", "", 1).isdigit()
