"""Table 5: the number of parameters of the two towers, counted from built models."""

from typing import TYPE_CHECKING

from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.page import Page, Section
from muver.reproduction.tables.paper import paper
from muver.reproduction.tables.records import ModelRow, ParametersTable
from muver.reproduction.tables.settings import Parameters

if TYPE_CHECKING:
    from muver.retriever.encoders.bert import BertConfig

TOWERS = 2
LARGE = {  # BERT-large's sizes; BERT-base's are the defaults
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}


def build(name: str, caption: str, settings: Parameters, files: TableFiles) -> ParametersTable:
    """A row per model of two towers, which have no pooling layers here."""
    from muver.retriever.encoders.bert import BertConfig

    configs = {"MuVER (base)": BertConfig(), "MuVER (large)": BertConfig(**LARGE)}
    if files.encoder is not None:
        configs["MuVER (encoder in use)"] = BertConfig.from_file(files.encoder / "config.json")
    rows = []
    for model, config in configs.items():
        tower, pooler = count(config)
        millions = paper()[name]["rows"].get(model, {}).get("millions")
        rows.append(ModelRow(model, TOWERS * tower, TOWERS * pooler, millions))
    return ParametersTable(name=name, caption=caption, source=paper()["source"], rows=rows)


def count(config: "BertConfig") -> tuple[int, int]:
    """Number of parameters of one BERT, and of the pooling layer that ours lacks.

    The models are built on torch's meta device, which allocates no memory.
    """
    import torch

    from muver.retriever.encoders.bert import Bert

    with torch.device("meta"):
        tower, pooler = Bert(config), torch.nn.Linear(config.hidden_size, config.hidden_size)
    own, further = (
        sum(weight.numel() for weight in module.parameters()) for module in (tower, pooler)
    )
    return own, further


def page(table: ParametersTable) -> Page:
    grid = [[row.method, str(row.parameters), f"{row.parameters / 1e6:.1f}"] for row in table.rows]
    note = (
        "Two separate BERTs with all their embeddings, counted from the built models. Vectors are "
        "states of the last layer, so there are no pooling layers; "
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
