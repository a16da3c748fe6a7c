"""The grid over hyper-parameters for people: its trials, the sums of points, means by value."""

from muver.reproduction.tables.numbers import spelled
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.records import GridResult, PointRow
from muver.retriever.evaluation.precision import in_words, reduced_precision


def page(grid: GridResult) -> Page:
    """The trials, with the chosen recall in bold."""
    recall, rows = f"R@{grid.cutoff}", grid.rows
    cells = [
        [
            row.method,
            *map(spelled, row.values.values()),
            f"{row.recall:.2f}",
            str(row.step),
            "true" if row.chosen else "false",  # pandas reads these as booleans
            row.row_key,
        ]
        for row in rows
    ]
    note = f"{len(rows)} points. {grid.rule} step is where the recall was reached."
    if precision := in_words(reduced_precision(rows[0].settings)):  # all points have the same
        note += f" Not in fp32: {precision}."
    header = ["method", *grid.means, recall, "step", "chosen", "row_key"]
    best = {(n, header.index(recall)) for n, row in enumerate(rows) if row.chosen}
    by_value = Section(
        "By value",
        f"Mean {recall} over all points with a value.",
        ["hyper-parameter", "value", "points", f"mean {recall}"],
        [
            [key, spelled(mean.value), str(mean.points), f"{mean.recall:.2f}"]
            for key, of_values in grid.means.items()
            for mean in of_values
        ],
    )
    by_point = [_by_point(grid)] if len(grid.models) > 1 else []
    return Page(
        f"Grid of {', '.join(grid.models)}: {grid.caption}, {grid.dataset}",
        [Section("", note, header, cells, best), *by_point, by_value],
    )


def _by_point(grid: GridResult) -> Section:
    """A line for each point: the recall of every model, and their sum, by which it is chosen."""
    lines: dict[tuple[str, ...], dict[str, PointRow]] = {}
    for row in grid.rows:
        lines.setdefault(tuple(map(spelled, row.values.values())), {})[row.method] = row
    cells, bold = [], set()
    header = [*grid.means, *grid.models, "sum"]
    for n, (values, own) in enumerate(lines.items()):
        recalls = [own[model].recall for model in grid.models]
        cells.append([*values, *(f"{recall:.2f}" for recall in (*recalls, sum(recalls)))])
        if any(row.chosen for row in own.values()):
            bold.add((n, len(header) - 1))
    return Section("By point", f"R@{grid.cutoff} of each model.", header, cells, bold)
