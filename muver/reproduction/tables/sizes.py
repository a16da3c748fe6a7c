"""Tables 4 and 5, which are counted: the sizes of the data, and of the two towers."""

from muver.io.errors import InputError
from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.paper import comparability, paper
from muver.reproduction.tables.records import (
    ModelRow,
    Numbers,
    ParametersTable,
    SplitRow,
    StatisticsTable,
)
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.corpus.statistics import read_counts

TOWERS = 2
LARGE = {  # BERT-large's sizes; BERT-base's are the defaults
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}


def build_data(name: str, caption: str, files: TableFiles) -> StatisticsTable:
    """A row per split; the column KB has the paper's word for its own dataset."""
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
                kb=theirs["kb"] if theirs else dataset,
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


def data_page(table: StatisticsTable) -> Page:
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


def build_models(name: str, caption: str, files: TableFiles) -> ParametersTable:
    """A row per model of two towers, which have no pooling layers here."""
    import torch

    from muver.retriever.encoders.bert import Bert, BertConfig
    from muver.retriever.encoders.loading import empty_tower

    with torch.device("meta"):  # allocates no memory
        towers = {"MuVER (base)": Bert(BertConfig()), "MuVER (large)": Bert(BertConfig(**LARGE))}
    if files.encoder is not None:
        towers["MuVER (encoder in use)"] = empty_tower(files.encoder)
    rows = []
    for model, built in towers.items():
        tower = sum(weight.numel() for weight in built.parameters())
        pooler = built.dimension * (built.dimension + 1)
        millions = paper()[name]["rows"].get(model, {}).get("millions")
        rows.append(ModelRow(model, TOWERS * tower, TOWERS * pooler, millions))
    return ParametersTable(name=name, caption=caption, source=paper()["source"], rows=rows)


def models_page(table: ParametersTable) -> Page:
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
