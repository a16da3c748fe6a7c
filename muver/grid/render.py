"""The grid as CSV for programs, Markdown for people, and a page that becomes LaTeX."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from muver.evaluation.precision import in_words, reduced_precision
from muver.grid.points import HYPERPARAMETERS, spelled
from muver.tables.page import Page, Section


def to_csv(grid: Mapping[str, Any]) -> str:
    """One line a point: its values, its best validation recall in percent, its key.

    Whether it was chosen is ``true`` or ``false``, which pandas reads as truth values.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_header(grid))
    for row in grid["rows"]:
        *cells, _, key = _cells(row)
        writer.writerow([*cells, "true" if row["chosen"] else "false", key])
    return out.getvalue()


def to_markdown(grid: Mapping[str, Any]) -> str:
    """The same, the chosen point in bold, and the mean over the points with each value."""
    cells = [
        [f"**{cell}**" for cell in _cells(row)] if row["chosen"] else _cells(row)
        for row in grid["rows"]
    ]
    means = [
        [key, spelled(mean["value"]), str(mean["points"]), f"{mean['recall']:.2f}"]
        for key, of_values in grid["means"].items()
        for mean in of_values
    ]
    recall = f"R@{grid['cutoff']}"
    return "\n\n".join(
        [
            f"# {_title(grid)}",
            f"{_note(grid)} `step` is where the recall was reached.{_precision(grid)}",
            markdown_grid(_header(grid), cells),
            "## By value",
            f"Mean {recall} over all points with a value.",
            markdown_grid(["hyper-parameter", "value", "points", f"mean {recall}"], means),
        ]
    ) + "\n"  # fmt: skip


def to_page(grid: Mapping[str, Any]) -> Page:
    """The points alone, the recall of the chosen one in bold."""
    cells = [_cells(row) for row in grid["rows"]]
    recall = len(HYPERPARAMETERS) + 1
    best = {(n, recall) for n, row in enumerate(grid["rows"]) if row["chosen"]}
    section = Section("", f"{_note(grid)}{_precision(grid)}", _header(grid), cells, best)
    return Page(_title(grid), [section])


def markdown_grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, columns aligned, all but the first to the right."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(3, *map(len, column)) for column in columns]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [f"{'-' * (width - 1)}{':' if column else '-'}" for column, width in enumerate(widths)]
    return "\n".join(map(line, [header, rule, *rows]))


def _title(grid: Mapping[str, Any]) -> str:
    return (
        f"Grid of {grid['model']}: validation recall@{grid['cutoff']} in percent, {grid['dataset']}"
    )


def _note(grid: Mapping[str, Any]) -> str:
    return f"{len(grid['rows'])} points. {grid['rule']}"


def _precision(grid: Mapping[str, Any]) -> str:
    """What is not in fp32, as a sentence; all points have the same."""
    precision = in_words(reduced_precision(grid["rows"][0]["settings"]))
    return f" Not in fp32: {precision}." if precision else ""


def _header(grid: Mapping[str, Any]) -> list[str]:
    return ["method", *HYPERPARAMETERS, f"R@{grid['cutoff']}", "step", "chosen", "row_key"]


def _cells(row: Mapping[str, Any]) -> list[str]:
    values = [spelled(row[key]) for key in HYPERPARAMETERS]
    chosen = "yes" if row["chosen"] else "no"
    return [
        row["method"], *values, f"{row['recall']:.2f}", str(row["step"]), chosen, row["row_key"]
    ]  # fmt: skip
