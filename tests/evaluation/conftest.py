"""Two worlds, four test mentions, and a run whose recall is counted by hand.

reef has two entities called Bob. Ranks of the gold titles: m1 1, m2 2 (the other Bob), m3 3, m4 1.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from muver.corpus.schema import ENTITIES, MENTIONS, table_writer
from muver.evaluation.runs import write_run

TITLES = {"reef": ["Ann", "Bob", "Bob", "Cid"], "vale": ["Dot", "Eve", "Fay"]}
GOLD = {"m1": ("reef", 0), "m2": ("reef", 2), "m3": ("reef", 3), "m4": ("vale", 1)}
RANKED = {"m1": [0, 1, 3], "m2": [0, 1, 3], "m3": [1, 0, 3], "m4": [1, 0, 2]}


def save_run(path: Path, ranked: dict[str, list[int]]) -> Path:
    """Write a run of these entities by mention."""
    rows = [
        (mention, GOLD.get(mention, ("reef", 0))[0], rank, entity)
        for mention, entities in ranked.items()
        for rank, entity in enumerate(entities, start=1)
    ]
    ids, worlds, ranks, entities = (list(column) for column in zip(*rows, strict=True))
    titles = [TITLES[world][entity] for _, world, _, entity in rows]
    nothing = [-1] * len(rows)
    scores = [-float(rank) for rank in ranks]
    write_run(path, ids, worlds, ranks, entities, titles, scores, nothing, nothing, nothing)
    return path


@pytest.fixture(scope="session")
def tiny() -> SimpleNamespace:
    """The worlds, gold entities and ranked entities above, and how to write such a run."""
    return SimpleNamespace(titles=TITLES, gold=GOLD, ranked=RANKED, save_run=save_run)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with entities.parquet, mentions.parquet and counts.json."""
    entities = [
        {"world": world, "entity": n, "document_id": f"{world}{n}", "title": title, "text": "x"}
        for world, titles in TITLES.items()
        for n, title in enumerate(titles)
    ]
    mentions = [
        {
            "mention_id": mention,
            "split": split,
            "world": world,
            "context_left": "",
            "mention": "x",
            "context_right": "",
            "gold": gold,
            "category": "",
        }
        for mention, split, (world, gold) in [
            ("m0", "train", ("reef", 0)),
            *((mention, "test", gold) for mention, gold in GOLD.items()),
        ]
    ]
    for name, schema, rows in (("entities", ENTITIES, entities), ("mentions", MENTIONS, mentions)):
        with table_writer(tmp_path / f"{name}.parquet", schema) as writer:
            writer.write_table(pa.Table.from_pylist(rows, schema))
    counts = {
        "dataset": "tiny",
        "fingerprint": "f00d",
        "mentions": {"train": 1, "val": 0, "test": 4},
    }
    (tmp_path / "counts.json").write_text(json.dumps(counts))
    return tmp_path
