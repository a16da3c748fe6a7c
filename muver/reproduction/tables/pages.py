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
from muver.retriever.evaluation.records import Bin, in_words, reduced_precision


def _data(table: StatisticsTable) -> Page:
    """Table 4: the splits, the paper's counts beside ours if the data are its, and the worlds."""
    grid, against, worlds = [], [], []
    for row in table.rows:
        split = {"Dataset": row.dataset, "Split": row.split}
        mentions, entities = str(row.mentions), str(row.entities)
        grid.append({**split, "Mention Num": mentions, "KB": row.kb, "Entity Num": entities})
        if row.paper:
            mentions = _equal(row.mentions, row.paper.mentions)
            entities = _equal(row.entities, row.paper.entities)
            against.append({**split, "Mention Num": mentions, "Entity Num": entities})
        for world, part in row.worlds.items():
            mentions, entities = str(part.mentions), str(part.entities)
            of_world = {"Mention Num": mentions, "Entity Num": entities}
            worlds.append({"Split": row.split, "World": world, **of_world})
    compared = f"{table.source}: the paper's number, and whether ours is the same."
    by_world = "The splits' worlds."
    if empty := [line["World"] for line in worlds if line["Mention Num"] == "0"]:
        listed = ", ".join(empty)
        by_world += f" Without mentions, and so without a number in other tables: {listed}."
    return Page.of(
        f"{table.caption}, {table.dataset}",
        Section.of("", f"{NOTES['splits']} {table.note or ''}".strip(), grid),
        Section.of("Against the paper", compared, against),
        Section.of("By world", by_world, worlds),
    )


def _equal(ours: int, paper: int) -> str:
    return f"{paper} ({'' if ours == paper else 'not '}equal)"


def _models(table: ParametersTable) -> Page:
    """Table 5: what is counted, and the paper's number beside it."""
    grid, against = [], []
    for row in table.rows:
        model, millions = {"Model": row.method}, row.parameters / 1e6
        counts = {"Number of parameters": str(row.parameters), "in millions": f"{millions:.1f}"}
        grid.append(model | counts)
        if row.paper is not None:
            apart = {"paper": f"{row.paper}M", "difference": f"{millions - row.paper:+.1f}M"}
            against.append(model | apart)
    poolers = (f"in {row.method} they would add {row.poolers}" for row in table.rows)
    note = NOTES["parameters"].format(poolers=", ".join(poolers))
    beside = Section.of("Against the paper", NOTES["rounded"].format(source=table.source), against)
    return Page.of(table.caption, Section.of("", note, grid), beside)


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
    """The grid's trials, with the chosen recall in bold, and means by value where there are any."""
    recall, lines, means = f"R@{grid.cutoff}", [], []
    for row in grid.rows:
        values = {key: spelled(value) for key, value in row.values.items()}
        reached = {recall: f"{row.recall:.2f}", "step": str(row.step)}
        chosen = str(row.chosen).lower()  # as pandas'
        line = {"method": row.method, **values, **reached, "chosen": chosen}
        lines.append({**line, "row_key": row.row_key})
    note = f"{len(lines)} points. {grid.rule} step is where the recall was reached. {grid.advice}"
    note = note.rstrip()
    if precision := in_words(reduced_precision(grid.rows[0].settings)):  # all points have the same
        note += f" Not in fp32: {precision}."
    column = [*lines[0]].index(recall)
    best = {(n, column) for n, row in enumerate(grid.rows) if row.chosen}
    for key, of_values in grid.means.items():
        for mean in of_values:
            value = {"hyper-parameter": key, "value": spelled(mean.value)}
            means.append(
                {**value, "points": str(mean.points), f"mean {recall}": f"{mean.recall:.2f}"}
            )
    sections = [Section.of("", note, lines, best)]
    if means:
        by_value = f"Mean {recall} over all points with a value."
        sections.append(Section.of("By value", by_value, means))
    title = f"Grid of {', '.join(grid.models)}: {grid.caption}, {grid.dataset}"
    return Page.of(title, *sections)


PAGES = {
    records.Table: layouts.page,
    records.StatisticsTable: _data,
    records.ParametersTable: _models,
    LengthsFigure: _lengths,
    GridResult: _trials,
}
