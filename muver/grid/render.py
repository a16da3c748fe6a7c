"""The grid as CSV for programs and Markdown for people."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from muver.evaluation.precision import in_words, reduced_precision
from muver.grid.points import HYPERPARAMETERS, spelled


def to_csv(grid: Mapping[str, Any]) -> str:
    """One line a point: its values, its best validation recall in percent, its key."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_header(grid))
    writer.writerows(map(_cells, grid["rows"]))
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
    precision = in_words(reduced_precision(grid["rows"][0]["settings"]))  # all points have the same
    told = f" Not in fp32: {precision}." if precision else ""
    return "\n\n".join(
        [
            f"# Grid of {grid['model']}: validation recall@{grid['cutoff']} in percent, "
            f"{grid['dataset']}",
            f"{len(grid['rows'])} points. {grid['rule']} `step` is where the recall was reached."
            f"{told}",
            markdown_grid(_header(grid), cells),
            "## By value",
            f"Mean {recall} over all points with a value.",
            markdown_grid(["hyper-parameter", "value", "points", f"mean {recall}"], means),
        ]
    ) + "\n"  # fmt: skip


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


def _header(grid: Mapping[str, Any]) -> list[str]:
    return ["method", *HYPERPARAMETERS, f"R@{grid['cutoff']}", "step", "chosen", "row_key"]


def _cells(row: Mapping[str, Any]) -> list[str]:
    values = [spelled(row[key]) for key in HYPERPARAMETERS]
    chosen = "yes" if row["chosen"] else "no"
    return [
        row["method"], *values, f"{row['recall']:.2f}", str(row["step"]), chosen, row["row_key"]
    ]  # fmt: skip
