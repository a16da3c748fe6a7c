"""What people read of each kind of result: the one source of all formats and of both pages."""

from muver.io.text import percent, spelled
from muver.reproduction.tables import layouts, records
from muver.reproduction.tables.cells import Page, Section
from muver.reproduction.tables.paper import NOTES
from muver.reproduction.tables.records import (
    GridResult,
    LengthsFigure,
    ParametersTable,
    StatisticsTable,
)
from muver.retriever.evaluation.records import in_words, reduced_precision
from muver.retriever.evaluation.significance import Bin


def _data(table: StatisticsTable) -> Page:
    """Table 4: the splits, the paper's counts beside ours if the data are its, and the worlds."""
    split, numbers = ["Dataset", "Split"], ["Mention Num", "Entity Num"]
    grid = [
        [row.dataset, row.split, str(row.mentions), row.kb, str(row.entities)] for row in table.rows
    ]
    against, keys = [], ("mentions", "entities")
    for row in table.rows:
        if row.paper:
            equal = [_equal(getattr(row, key), getattr(row.paper, key)) for key in keys]
            against.append([row.dataset, row.split, *equal])
    worlds = [
        [row.split, world, str(part.mentions), str(part.entities)]
        for row in table.rows
        for world, part in row.worlds.items()
    ]
    note = NOTES["splits"]
    said = f"{table.source}: the paper's number, and whether ours is the same."
    by_world = "The splits' worlds."
    if empty := [world for _, world, mentions, _ in worlds if mentions == "0"]:
        listed = ", ".join(empty)
        by_world += f" Without mentions, and so without a number in other tables: {listed}."
    header = [*split, "Mention Num", "KB", "Entity Num"]
    return Page(
        f"{table.caption}, {table.dataset}",
        [
            Section("", f"{note} {table.note or ''}".strip(), header, grid),
            *([Section("Against the paper", said, [*split, *numbers], against)] if against else []),
            Section("By world", by_world, ["Split", "World", *numbers], worlds),
        ],
    )


def _equal(ours: int, paper: int) -> str:
    return f"{paper} ({'' if ours == paper else 'not '}equal)"


def _models(table: ParametersTable) -> Page:
    """Table 5: what is counted, and the paper's number beside it."""
    grid = [[row.method, str(row.parameters), f"{row.parameters / 1e6:.1f}"] for row in table.rows]
    poolers = (f"in {row.method} they would add {row.poolers}" for row in table.rows)
    note = NOTES["parameters"].format(poolers=", ".join(poolers))
    against = [
        [row.method, f"{row.paper}M", f"{row.parameters / 1e6 - row.paper:+.1f}M"]
        for row in table.rows
        if row.paper is not None
    ]
    said = NOTES["rounded"].format(source=table.source)
    main = Section("", note, ["Model", "Number of parameters", "in millions"], grid)
    beside = Section("Against the paper", said, ["Model", "paper", "difference"], against)
    return Page(table.caption, [main, beside])


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
        [f"{bin_.first}-{bin_.last}", str(bin_.mentions), *_cells(bin_), figure.row_key]
        for bin_ in figure.bins
    ]
    return Page(f"{figure.caption}, {figure.dataset}", [Section("", "", header, rows)])


def _cells(bin_: Bin) -> list[str]:
    if not bin_.mentions:
        return [""] * (3 * len(bin_.errors) + 3)
    cells = []
    for errors, interval in zip(bin_.errors, bin_.interval, strict=True):
        cells += [percent(errors, bin_.mentions), *(f"{bound:z.2f}" for bound in interval)]
    return [*cells, *(f"{value:z.2f}" for value in (bin_.difference, *bin_.difference_interval))]


def _trials(grid: GridResult) -> Page:
    """The grid's trials, with the chosen recall in bold, and means by value."""
    recall, rows, cells = f"R@{grid.cutoff}", grid.rows, []
    for row in rows:
        values, chosen = map(spelled, row.values.values()), str(row.chosen).lower()  # as pandas'
        cells.append([row.method, *values, f"{row.recall:.2f}", str(row.step), chosen, row.row_key])
    note = f"{len(rows)} points. {grid.rule} step is where the recall was reached. {grid.advice}"
    note = note.rstrip()
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
    return Page(
        f"Grid of {', '.join(grid.models)}: {grid.caption}, {grid.dataset}",
        [Section("", note, header, cells, best), by_value],
    )


PAGES = {
    records.Table: layouts.page,
    records.StatisticsTable: _data,
    records.ParametersTable: _models,
    LengthsFigure: _lengths,
    GridResult: _trials,
}
