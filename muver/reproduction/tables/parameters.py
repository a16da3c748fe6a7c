"""Table 5: the number of parameters of the two towers, counted from built models."""

from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.records import ModelRow, ParametersTable
from muver.reproduction.tables.settings import Parameters

TOWERS = 2
LARGE = {  # BERT-large's sizes; BERT-base's are the defaults
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}


def build(name: str, caption: str, settings: Parameters, files: TableFiles) -> ParametersTable:
    """A row per model of two towers, which have no pooling layers here."""
    import torch

    from muver.retriever.encoders.bert import Bert, BertConfig
    from muver.retriever.encoders.towers import empty_tower

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


def page(table: ParametersTable) -> Page:
    grid = [[row.method, str(row.parameters), f"{row.parameters / 1e6:.1f}"] for row in table.rows]
    note = (
        "Two separate encoders with all their embeddings, counted from the built models. Vectors "
        "are states of the last layer, so there are no pooling layers; "
        + ", ".join(f"in {row.method} they would add {row.poolers}" for row in table.rows)
        + "."
    )
    main = Section("", note, ["Model", "Number of parameters", "in millions"], grid)
    return Page(table.caption, [main, _paper(table)])


def _paper(table: ParametersTable) -> Section:
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
