"""Cut out the part of a knowledge base that training needs, as the tables that training reads.

All entities are of one world, "wikipedia", with mentions of both splits. The entities keep the
base's order and are numbered anew from 0.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from muver.io.errors import InputError
from muver.io.files import sha256_of, short_hash, write_json, write_manifest
from muver.io.parquet import table_of, table_writer, with_columns, write_table
from muver.io.progress import Progress, logger
from muver.io.text import counted
from muver.retriever.corpus.corpus_settings import Subset
from muver.retriever.corpus.knowledge_base import KnowledgeBase
from muver.retriever.corpus.schema import (
    ENTITIES,
    MENTIONS,
    NEGATIVES,
    SENTENCES,
    WIKIPEDIA,
    read_linked_mentions,
    read_negatives,
)
from muver.retriever.corpus.sources import WorldCounts
from muver.retriever.corpus.statistics import Counts
from muver.retriever.corpus.texts import clean

ENTITIES_AT_ONCE = 5_000
BETWEEN = "\n"  # paragraphs


def write_subset(
    kb: str | Path,
    training: str | Path,
    validation: str | Path,
    negatives: str | Path | None,
    folder: str | Path,
    settings: Subset,
    texts: str | Path | None = None,
) -> None:
    """Take from a knowledge base the entities that training and its validation need.

    Memory holds the mentions and a few thousand entities, whatever the size of the base.

    Parameters
    ----------
    training, validation
        Parquet files of `muver stage link`, for the splits "train" and "val". Mentions whose gold
        is outside the base are left out and counted.
    negatives
        Hard negatives of the training mentions (`muver.retriever.retrieval.negatives`).
    folder
        Receives the tables of `muver.retriever.corpus.schema` (negatives renumbered),
        ``counts.json`` and ``manifest.json``.
    texts
        Folder of `muver stage kb-texts`, for a model whose views name a ``text``: this text
        replaces an entity's paragraphs.
    """
    base, folder = KnowledgeBase(kb), Path(folder)
    linked = {"train": read_linked_mentions(training), "val": read_linked_mentions(validation)}
    sets = {split: table.filter(table["gold"].is_valid()) for split, table in linked.items()}
    for split, path in (("train", training), ("val", validation)):
        if not len(sets[split]):
            raise InputError(f"{path}: no mention has its gold entity in the knowledge base.")
    mined = NEGATIVES.empty_table() if negatives is None else read_negatives(negatives)
    needed = [table["gold"].to_numpy() for table in sets.values()]
    needed = np.unique(np.concatenate([*needed, pc.list_flatten(mined["negatives"]).to_numpy()]))
    numbers = with_further(needed, len(base), settings.further, settings.seed)
    other = None if texts is None else KnowledgeBase(texts)
    without_text = _write_entities(base, other, numbers, folder)
    _write_mentions(sets, numbers, folder / "mentions.parquet")
    _write_negatives(mined, numbers, folder / "negatives.parquet")
    inputs = {
        "kb": base.manifest["fingerprint"],
        "train": sha256_of(training),
        "val": sha256_of(validation),
        **({} if negatives is None else {"negatives": sha256_of(negatives)}),
        **({} if other is None else {"texts": other.manifest["fingerprint"]}),
    }
    taken, entities = settings.as_dict(), len(numbers)
    mentions = {split: table.num_rows for split, table in sets.items()}
    world = WorldCounts("train", entities, sum(mentions.values()), without_text)
    counts = Counts(
        dataset=WIKIPEDIA,
        fingerprint=short_hash([taken, inputs], 16),
        identified_as=None,
        worlds={WIKIPEDIA: world},
        mentions={**mentions, "test": 0},
        entities={"train": entities, "val": entities, "test": 0},
    )
    write_json(folder / "counts.json", counts)
    summary = {
        "entities": entities,
        "further": entities - len(needed),
        "mentions": counts.mentions,
        "gold_outside": {split: len(linked[split]) - count for split, count in mentions.items()},
    }
    write_manifest(folder / "manifest.json", "kb-subset", taken, inputs, counts=summary)
    logger.info(
        "%d of %s: %d needed by the mentions, %d further; %s to train on, %d to validate on",
        entities, counted(len(base), "entity", "entities"), len(needed), summary["further"],
        counted(mentions["train"], "mention"), mentions["val"],
    )  # fmt: skip


def with_further(
    needed: NDArray[np.int64], entities: int, further: int, seed: int
) -> NDArray[np.int64]:
    """The ``needed`` numbers and ``further`` random others below ``entities``, sorted.

    ``needed`` is sorted and distinct. If there are fewer others, all are taken.

    >>> with_further(np.array([1, 3]), 5, 9, 0).tolist()
    [0, 1, 2, 3, 4]
    """
    others = entities - len(needed)
    random = np.random.Generator(np.random.PCG64(seed))
    places = random.choice(others, min(further, others), replace=False)  # among the others
    # Number k of the others is k plus the needed ones before it.
    before = np.searchsorted(needed - np.arange(len(needed)), places, "right")
    return np.sort(np.concatenate([needed, places + before]))


def _write_entities(
    base: KnowledgeBase, texts: KnowledgeBase | None, numbers: NDArray[np.int64], folder: Path
) -> int:
    """Write entities and their paragraphs or texts; return how many have none."""
    without_text = 0
    progress = Progress("entities", len(numbers), "entities")
    with (
        table_writer(folder / "entities.parquet", ENTITIES) as entities,
        table_writer(folder / "sentences.parquet", SENTENCES) as sentences,
    ):
        for start in range(0, len(numbers), ENTITIES_AT_ONCE):
            batch = numbers[start : start + ENTITIES_AT_ONCE]
            rows = base.rows(batch)
            described = (rows if texts is None else texts.rows(batch))["paragraphs"].to_pylist()
            without_text += sum(not paragraphs for paragraphs in described)
            places = ([WIKIPEDIA] * len(batch), np.arange(start, start + len(batch)))
            ids, titles = rows["id"].combine_chunks(), rows["title"].combine_chunks()
            joined = [BETWEEN.join(paragraphs) for paragraphs in described]
            values = (*places, ids, titles, joined, [None] * len(batch))
            entities.write_table(table_of(ENTITIES, values))
            # Each paragraph is one "sentence", so that each becomes a view.
            views = [[clean(paragraph) for paragraph in paragraphs] for paragraphs in described]
            sentences.write_table(table_of(SENTENCES, (*places, views)))
            progress.advance(len(batch))
    progress.finish()
    return without_text


def _write_mentions(sets: Mapping[str, pa.Table], numbers: NDArray[np.int64], path: Path) -> None:
    with table_writer(path, MENTIONS) as writer:
        for split, table in sets.items():
            new = {
                "split": pa.repeat(split, len(table)),
                "gold": pa.array(np.searchsorted(numbers, table["gold"].to_numpy()), pa.int32()),
            }
            values = [new.get(name, table[name]) for name in MENTIONS.names]
            writer.write_table(pa.table(values, MENTIONS))


def _write_negatives(table: pa.Table, numbers: NDArray[np.int64], path: Path) -> None:
    """Write the negatives with the subset's numbers; all of them are in the subset."""
    listed = table["negatives"].combine_chunks()
    renumbered = pa.array(np.searchsorted(numbers, listed.flatten().to_numpy()), pa.int64())
    new = {"negatives": pa.ListArray.from_arrays(listed.offsets, renumbered)}
    write_table(path, with_columns(table, new))
