"""The table stage: writes a table from evaluations, counts or an encoder's configuration."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.typed import Settings, read
from muver.reproduction.tables.build import build
from muver.reproduction.tables.paper import comparability, paper
from muver.reproduction.tables.records import (
    ModelRow,
    Numbers,
    ParametersTable,
    SplitRow,
    StatisticsTable,
)
from muver.reproduction.tables.render import write_table
from muver.reproduction.tables.tables_settings import TableSettings
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.corpus.statistics import read_counts

TOWERS = 2
LARGE = {  # BERT-large's sizes; BERT-base's are the defaults
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
}


def make_table(
    name: str,
    evaluations: Sequence[Path],
    out: Path,
    settings: Mapping[str, Any],
    counts: Path | None = None,
    encoder: Path | None = None,
    mentions: Path | None = None,
) -> None:
    """Make a table, the paper's or our own, from evaluations.

    Writes ``out`` (.csv), and beside it .md, .html, .tex and .json.

    Any ``name`` but the paper's is a comparison, whose ``settings`` have a caption. The corpus's
    ``counts`` are what Table 4 is made of, and tell the others which worlds have no mentions; its
    ``mentions`` tell their categories.
    """
    if name in ("table4", "table5"):
        read(Settings, settings)
        table = build_data(counts) if name == "table4" else build_models(encoder)
    else:
        table = build(name, read(TableSettings, settings), evaluations, counts, mentions)
    write_table(out, table)


def build_data(file: Path | None) -> StatisticsTable:
    """Table 4: a row per split; the column KB has the paper's word for its own dataset."""
    if file is None:
        raise InputError("--counts: table4 needs the corpus's counts; none were given.")
    counts, table4 = read_counts(file), paper()["table4"]
    dataset, known_as = counts.dataset, counts.identified_as
    published = {row["split"]: row for row in table4["rows"] if row["dataset"] == known_as}
    rows = []
    for split in SPLITS:
        theirs = published.get(split)
        worlds = {
            world: Numbers(part.mentions, part.entities)
            for world, part in counts.worlds.items()
            if part.split == split
        }
        rows.append(SplitRow(
            dataset=dataset, split=split, kb=theirs["kb"] if theirs else dataset,
            mentions=counts.mentions[split], entities=counts.entities[split], worlds=worlds,
            paper=theirs and Numbers(theirs["mentions"], theirs["entities"]),
        ))  # fmt: skip
    return StatisticsTable(
        name="table4",
        caption=table4["caption"],
        dataset=dataset,
        fingerprint=counts.fingerprint,
        identified_as=known_as,
        source=paper()["source"],
        note=comparability("table4", dataset, known_as),
        rows=rows,
    )


def build_models(encoder: Path | None = None) -> ParametersTable:
    """Table 5: a row per model of two towers, which have no pooling layers here."""
    import torch

    from muver.retriever.encoders.bert import Bert, BertConfig
    from muver.retriever.encoders.model import empty_tower

    with torch.device("meta"):  # allocates no memory
        towers = {"MuVER (base)": Bert(BertConfig()), "MuVER (large)": Bert(BertConfig(**LARGE))}
    if encoder is not None:
        towers["MuVER (encoder in use)"] = empty_tower(encoder)
    rows, table5 = [], paper()["table5"]
    for model, built in towers.items():
        rows.append(ModelRow(
            method=model,
            parameters=TOWERS * sum(weight.numel() for weight in built.parameters()),
            poolers=TOWERS * built.dimension * (built.dimension + 1),
            paper=table5["rows"].get(model, {}).get("millions"),
        ))  # fmt: skip
    return ParametersTable(
        name="table5", caption=table5["caption"], source=paper()["source"], rows=rows
    )
