"""Table 4: the numbers of mentions and entities of the dataset."""

from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.paper import comparability, paper
from muver.reproduction.tables.records import Numbers, SplitRow, StatisticsTable
from muver.reproduction.tables.settings import Statistics
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.corpus.statistics import read_counts


def build(name: str, caption: str, settings: Statistics, files: TableFiles) -> StatisticsTable:
    """A row per split.

    Without a ``source`` in the settings, the column KB has the paper's word for its own dataset,
    else the dataset's name.
    """
    if files.counts is None:
        raise InputError(f"--counts: {name} needs the corpus's counts; none were given.")
    counts = read_counts(files.counts)
    dataset, known_as = counts.dataset, counts.identified_as
    published = {row["split"]: row for row in paper()[name]["rows"] if row["dataset"] == known_as}
    rows = []
    for split in SPLITS:
        theirs = published.get(split)
        rows.append(
            SplitRow(
                dataset=dataset,
                split=split,
                kb=settings.source or (theirs["kb"] if theirs else dataset),
                mentions=counts.mentions[split],
                entities=counts.entities[split],
                worlds={
                    world: Numbers(part.mentions, part.entities)
                    for world, part in counts.worlds.items()
                    if part.split == split
                },
                paper=theirs and Numbers(theirs["mentions"], theirs["entities"]),
            )
        )
    return StatisticsTable(
        name=name,
        caption=caption,
        dataset=dataset,
        fingerprint=counts.fingerprint,
        identified_as=known_as,
        source=paper()["source"],
        note=comparability(name, dataset, known_as),
        rows=rows,
    )


def page(table: StatisticsTable) -> Page:
    header = ["Dataset", "Split", "Mention Num", "KB", "Entity Num"]
    grid = [
        [row.dataset, row.split, str(row.mentions), row.kb, str(row.entities)] for row in table.rows
    ]
    note = "Mentions and entities by split; a world, with its entities, belongs to one split."
    main = Section("", f"{note} {table.note or ''}".strip(), header, grid)
    beside = [_paper(table)] if any(row.paper for row in table.rows) else []
    return Page(f"{table.caption}, {table.dataset}", [main, *beside, _worlds(table)])


def _paper(table: StatisticsTable) -> Section:
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
