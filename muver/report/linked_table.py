"""Table 2 as HTML: recall by set with intervals, counts of mentions, how candidates were found."""

from collections.abc import Mapping
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
from muver.report.recorded import Addresses
from muver.report.results import Result
from muver.tables.linked_sections import counts, lines_of, search
from muver.tables.page import Section

SAID = (
    "In-KB recall in percent: of the mentions whose gold entity is in the knowledge base. Below it "
    "the 95% bootstrap interval; the greatest of a column is bold and underlined."
)


def linked_recall(result: Result, addresses: Addresses) -> list[str]:
    """A note, the table itself, and what belongs to it."""
    data = result.data
    cutoffs = [str(k) for k in data["cutoffs"]]
    lines = lines_of(data)
    said = (
        f"{data['kb']['entities']} entities of the knowledge base {data['dataset']} are candidates "
        f"of each mention. {SAID}"
    )
    note = (data.get("paper") or {}).get("note")
    searched = _grid(search(lines), texts=(0, 1, 3))
    if not any(line["index"] for line in lines):
        searched = details("How candidates were found", searched)
    return [
        paragraph(" ".join(filter(None, [said, note]))),
        legend(lines),
        _main(result, cutoffs, addresses),
        notes(result.rows),
        *contrasts(data, cutoffs),
        _grid(counts(data)),
        searched,
        *_tested(data, lines, cutoffs),
    ]


def _main(result: Result, cutoffs: list[str], addresses: Addresses) -> str:
    data = result.data
    names = [one["set"] for one in data["sets"]]
    best = {
        name: best_values([row["sets"][name] for row in result.rows], cutoffs) for name in names
    }
    cells = [
        [
            method_cell(row),
            *(recall_cell(row["sets"][name], k, best[name]) for name in names for k in cutoffs),
            key_cell(result.name, row["row_key"], addresses),
        ]
        for row in result.rows
    ]
    header = ["method", *(f"{one['column']} R@{k}" for one in data["sets"] for k in cutoffs)]
    return grid(result.caption, [*header, "row_key and run"], cells, (0, len(header)), "recall")


def _grid(section: Section, texts: tuple[int, ...] = (0,)) -> str:
    cells = [[text(cell) for cell in row] for row in section.rows]
    return paragraph(section.note) + grid(section.heading, section.header, cells, texts)


def _tested(
    data: Mapping[str, Any], lines: list[Mapping[str, Any]], cutoffs: list[str]
) -> list[str]:
    cells = [
        [text(line["method"]), text(line["set"]), *(tested_cell(line, k) for k in cutoffs)]
        for line in lines
        if line.get("paired")
    ]
    if not cells:
        return []
    title = f"Paired tests against {data['against']['method']}"
    header = ["method", "Set", *(f"R@{k}" for k in cutoffs)]
    content = grid(f"{title}: difference in points, p-value", header, cells, (0, 1))
    return [details(title, content)]
