"""Two worlds, four test mentions, and a run whose recall is counted by hand.

reef has two entities called Bob. Ranks of the gold titles: m1 1, m2 2 (the other Bob), m3 3, m4 1.
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from muver.io.files import write_json
from muver.io.parquet import table_of, write_table
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, SENTENCES
from muver.retriever.corpus.statistics import Counts
from muver.retriever.evaluation.recall import ranks_table
from tests.blank import blank
from tests.runs import write_run

TITLES = {"reef": ["Ann", "Bob", "Bob", "Cid"], "vale": ["Dot", "Eve", "Fay"]}
GOLD = {"m1": ("reef", 0), "m2": ("reef", 2), "m3": ("reef", 3), "m4": ("vale", 1)}
SENTENCES_OF = {"reef": [3, 0, 7, 101], "vale": [2, 5, 1]}
RANKED = {"m1": [0, 1, 3], "m2": [0, 1, 3], "m3": [1, 0, 3], "m4": [1, 0, 2]}


def save_run(path: Path, ranked: dict[str, list[int]], layer: int = -1) -> Path:
    """Write a run of these entities by mention."""
    rows = [
        (mention, world, rank, entity, TITLES[world][entity], -float(rank), layer, layer, layer)
        for mention, entities in ranked.items()
        for world in [GOLD.get(mention, ("reef", 0))[0]]
        for rank, entity in enumerate(entities, start=1)
    ]
    return write_run(path, rows)


def save_sentences(path: Path, counts: dict[str, list[int]]) -> Path:
    """Write so many sentences an entity, by world."""
    rows = [
        {"world": world, "entity": entity, "sentences": ["x"] * count}
        for world, numbers in counts.items()
        for entity, count in enumerate(numbers)
    ]
    write_table(path, pa.Table.from_pylist(rows, SENTENCES))
    return path


def make_ranks(
    ranks: Sequence[int],
    worlds: Sequence[str] | None = None,
    sentences: Sequence[int] | None = None,
    k: int = 64,
    documents: Sequence[str | None] | None = None,
) -> pa.Table:
    """Ranks of mentions 0, 1, ... among k candidates; of one world unless told otherwise."""
    return ranks_table(
        [f"m{n}" for n in range(len(ranks))],
        worlds or ["w"] * len(ranks),
        documents or [None] * len(ranks),
        ranks,
        sentences or [1] * len(ranks),
        k,
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path)


def write_corpus(folder: Path) -> Path:
    """A folder with entities, mentions and sentences (.parquet) and counts.json."""
    entities = [
        {"world": world, "entity": n, "document_id": f"{world}{n}", "title": title, "text": "x"}
        for world, titles in TITLES.items()
        for n, title in enumerate(titles)
    ]
    mentions = [
        (mention, split, world, f"page of {mention}", "x", "x", "x", gold, "x")
        for mention, split, (world, gold) in [
            ("m0", "train", ("reef", 0)),
            *((mention, "test", gold) for mention, gold in GOLD.items()),
        ]
    ]
    write_table(folder / "entities.parquet", pa.Table.from_pylist(entities, ENTITIES))
    write_table(folder / "mentions.parquet", table_of(MENTIONS, zip(*mentions, strict=True)))
    save_sentences(folder / "sentences.parquet", SENTENCES_OF)
    mentions = {"train": 1, "val": 0, "test": 4}
    counts = blank(Counts, dataset="tiny", fingerprint="f00d", mentions=mentions)
    write_json(folder / "counts.json", counts)
    return folder
