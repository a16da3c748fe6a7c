"""Shards on disk: small whole numbers, or vectors of widely varying norms in clusters."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from muver.io.parquet import table_of
from muver.retriever.vectors.part import MENTIONS, write_part
from muver.retriever.vectors.shards import Shards, write_shard


def write_shards(folder, vectors, counts, sizes, dtype=np.float32, model="model-a"):
    """Parts with ``sizes`` entities each."""
    starts = np.r_[0, np.cumsum(counts)]
    entity = 0
    for number, size in enumerate(sizes):
        views = slice(starts[entity], starts[entity + size])
        few = counts[entity : entity + size]
        write_shard(folder, number, vectors[views].astype(dtype), few, entity, model)
        entity += size
    assert entity == len(counts)
    return folder


def write_mentions(path, vectors, model="model-a"):
    ids = [f"m{number}" for number in range(len(vectors))]
    rows = table_of(MENTIONS, [["wikipedia"] * len(ids), ids])
    write_part(path, [(rows, vectors)], {"model": model})


def owners(counts):
    """The entity of each view."""
    return np.repeat(np.arange(len(counts)), counts)


@dataclass(frozen=True)
class Made:
    """Shards, what they were made of, and mentions to search for."""

    folder: Path
    shards: Shards
    vectors: np.ndarray
    counts: np.ndarray
    mentions: np.ndarray


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Made:
    """600 entities of 1 to 5 views in 16 dimensions: clusters, a common part, log-normal norms."""
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 6, size=600)
    centres = rng.standard_normal((12, 16))
    entities = centres[rng.integers(12, size=600)] + 0.5 * rng.standard_normal((600, 16))
    vectors = np.repeat(entities, counts, axis=0)
    vectors += 0.3 * rng.standard_normal(vectors.shape)
    vectors *= np.exp(0.5 * rng.standard_normal((len(vectors), 1)))
    vectors = (vectors + 2 * rng.standard_normal(16)).astype(np.float32)
    chosen = rng.choice(len(vectors), 60, replace=False)
    mentions = vectors[chosen] - vectors.mean(axis=0) + 0.3 * rng.standard_normal((60, 16))
    folder = write_shards(tmp_path_factory.mktemp("shards"), vectors, counts, [250, 1, 349])
    return Made(folder, Shards(folder), vectors, counts, mentions.astype(np.float32))
