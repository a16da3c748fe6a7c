"""What people read of each kind of result: the one source of all formats and of both pages."""

from muver.io.text import percent, spelled
from muver.reproduction.tables import layouts, records
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.records import (
    GridResult,
    LengthsFigure,
    ParametersTable,
    PointRow,
    StatisticsTable,
)
from muver.retriever.evaluation.records import in_words, reduced_precision
from muver.retriever.evaluation.significance import Bin


def _data(table: StatisticsTable) -> Page:
    header = ["Dataset", "Split", "Mention Num", "KB", "Entity Num"]
    grid = [
        [row.dataset, row.split, str(row.mentions), row.kb, str(row.entities)] for row in table.rows
    ]
    note = "Mentions and entities by split; a world, with its entities, belongs to one split."
    main = Section("", f"{note} {table.note or ''}".strip(), header, grid)
    beside = [_counts_of_paper(table)] if any(row.paper for row in table.rows) else []
    return Page(f"{table.caption}, {table.dataset}", [main, *beside, _worlds(table)])


def _counts_of_paper(table: StatisticsTable) -> Section:
    grid = []
    for row in table.rows:
        pairs = (row.mentions, row.paper.mentions), (row.entities, row.paper.entities)
        cells = [f"{paper} ({'' if ours == paper else 'not '}equal)" for ours, paper in pairs]
        grid.append([row.dataset, row.split, *cells])
    note = f"{table.source}: the paper's number, and whether ours is the same."
    header = ["Dataset", "Split", "Mention Num", "Entity Num"]
    return Section("Against the paper", note, header, grid)


def _worlds(table: StatisticsTable) -> Section:
    grid = [
        [row.split, world, str(part.mentions), str(part.entities)]
        for row in table.rows
        for world, part in row.worlds.items()
    ]
    empty = [line[1] for line in grid if line[2] == "0"]
    note = "The splits' worlds."
    if empty:
        note += f" Without mentions, and so without a number in other tables: {', '.join(empty)}."
    return Section("By world", note, ["Split", "World", "Mention Num", "Entity Num"], grid)


def _models(table: ParametersTable) -> Page:
    grid = [[row.method, str(row.parameters), f"{row.parameters / 1e6:.1f}"] for row in table.rows]
    note = (
        "Two separate encoders with all their embeddings, counted from the built models. Vectors "
        "are states of the last layer, so there are no pooling layers; "
        + ", ".join(f"in {row.method} they would add {row.poolers}" for row in table.rows)
        + "."
    )
    main = Section("", note, ["Model", "Number of parameters", "in millions"], grid)
    return Page(table.caption, [main, _millions_of_paper(table)])


def _millions_of_paper(table: ParametersTable) -> Section:
    grid = [
        [row.method, f"{row.paper}M", f"{row.parameters / 1e6 - row.paper:+.1f}M"]
        for row in table.rows
        if row.paper is not None
    ]
    note = (
        f"{table.source}: the paper's number and ours minus it. The paper's are twice "
        "the rounded 110M and 340M of BERT's own paper, not counts."
    )
    return Section("Against the paper", note, ["Model", "paper", "difference"], grid)


def page_of(result: records.AnyResult) -> Page:
    """The content of a result's page."""
    return PAGES[type(result)](result)


def _lengths(figure: LengthsFigure) -> Page:
    """Figure 2: a line per bin; cells of a bin without mentions are empty."""
    header = ["sentences", "mentions"]
    for row in figure.rows:
        header += [f"{row.method} {what}" for what in ("error", "low", "high")]
    header += ["difference", "difference low", "difference high", "row_key"]
    rows = [
        [bin_name(bin_), str(bin_.mentions), *_cells(bin_), figure.row_key] for bin_ in figure.bins
    ]
    return Page(f"{figure.caption}, {figure.dataset}", [Section("", "", header, rows)])


def bin_name(bin_: Bin) -> str:
    """A bin by its first and last number of sentences."""
    return f"{bin_.first}-{bin_.last}"


def _cells(bin_: Bin) -> list[str]:
    if not bin_.mentions:
        return [""] * (3 * len(bin_.errors) + 3)
    cells = []
    for errors, interval in zip(bin_.errors, bin_.interval, strict=True):
        cells += [percent(errors, bin_.mentions), *(f"{bound:z.2f}" for bound in interval)]
    return [*cells, *(f"{value:z.2f}" for value in (bin_.difference, *bin_.difference_interval))]


def _trials(grid: GridResult) -> Page:
    """The grid's trials, with the chosen recall in bold, the sums of points, and means by value."""
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
    note = f"{len(rows)} points. {grid.rule} step is where the recall was reached. {grid.advice}"
    note = note.strip()
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
    by_point = [_by_point(grid)] if len(grid.models) > 1 and not grid.each else []
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
    for n, (values, by_model) in enumerate(lines.items()):
        recalls = [by_model[model].recall for model in grid.models]
        cells.append([*values, *(f"{recall:.2f}" for recall in (*recalls, sum(recalls)))])
        if any(row.chosen for row in by_model.values()):
            bold.add((n, len(header) - 1))
    return Section("By point", f"R@{grid.cutoff} of each model.", header, cells, bold)


PAGES = {
    records.Table: layouts.page,
    records.StatisticsTable: _data,
    records.ParametersTable: _models,
    LengthsFigure: _lengths,
    GridResult: _trials,
}
