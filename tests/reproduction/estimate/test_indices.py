"""Sizes of indices: against files that faiss writes, and by hand for the full run."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.reproduction.estimate.indices import index_sizes
from muver.retriever.retrieval.ann.index import build
from muver.retriever.retrieval.ann.settings import Build
from muver.retriever.vectors.shards import write_shard

VIEWS, D = 20_000, 64
SETTINGS = {
    "lists": 16,
    "training_views": 1000,
    "memory_mb": 1,
    "search_memory_mb": 1,
    "threads": 3,
}
HEADERS = 4096  # bytes that a file may have besides
MIB = 2**20


def sizes(kind, views, dimension, **settings):
    return index_sizes(views, dimension, {"factory": kind, **SETTINGS, **settings})


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    vectors = np.random.default_rng(0).standard_normal((VIEWS, D)).astype(np.float16)
    write_shard(folder, 0, vectors, np.ones(VIEWS, np.int64), 0, "m")
    return folder


@pytest.mark.parametrize(
    "kind",
    [
        "Flat",
        "SQ8",
        "ivf_sq",
        "ivf_sq8",
        "IVF{lists},SQ4",
        "IVF{lists},Flat",
        "IVF{lists},PQ4",
        "IVF{lists},PQ8x4",
        "OPQ8_32,IVF{lists},PQ8x4",
        "hnsw",
        "HNSW8,SQfp16",
        "HNSW8,PQ4x4",  # with 8 bits faiss trains seconds long
        "PQ8x4",
        "IVF{lists}_HNSW8,SQ8",
    ],
)
def test_sizes_are_those_of_files(shards, tmp_path, kind):
    made = build(
        shards,
        tmp_path,
        Build(factory=kind, lists=16, training_views=1000, ef_construction=4, seed=0, threads=1),
    )
    planned = sizes(kind, VIEWS, D)
    assert planned.factory == made["factory"]
    # Links of the upper levels are drawn by chance.
    chance = 0.01 * made["bytes"] if "HNSW" in made["factory"] else 0
    assert abs(planned.disk - made["bytes"]) <= HEADERS + chance


def test_sizes_by_hand():
    # 1000 views of 64: codes of 128 bytes and numbers of 8; 16 centroids; nothing learnt.
    ivf = sizes("ivf_sq", 1000, 64)
    assert ivf.disk == 1000 * (128 + 8) + 16 * (4 * 64 + 8)
    # Trained on 1000 views, held twice; two indices and four blocks are more.
    assert ivf.build == 2 * ivf.disk + 4 * MIB
    assert sizes("ivf_sq", 1000, 64, training_views=16).build == ivf.build
    assert ivf.search == ivf.disk + MIB
    # Training is more where codes are small: 20,000 of 64 values in float32, twice.
    pq = sizes("IVF{lists},PQ2", 20_000, 64, training_views=20_000)
    assert pq.disk == 20_000 * (2 + 8) + 16 * (4 * 64 + 8) + 256 * 4 * 64
    assert pq.build == 2 * 20_000 * 64 * 4 > 2 * pq.disk + 4 * MIB
    # A graph: 64 links of 4 bytes, 128 / 31 above, 12; a byte a thread.
    graph = sizes("hnsw", 1000, 64)
    assert graph.disk == 1000 * 64 * 4 + int(1000 * (256 + 128 / 31 + 12))
    assert graph.build == 2 * graph.disk + 4 * MIB
    assert graph.search == graph.disk + MIB + 3000


def test_the_full_run_by_hand():
    views, d = 5 * 5_903_530, 1024
    plans = {
        kind: sizes(kind, views, d, lists=None, training_views=None)
        for kind in ("ivf_sq", "opq_ivf_pq")
    }
    # Four times the root, 21,732, as the next power of two below.
    assert plans["ivf_sq"].factory == "IVF16384,SQfp16"
    assert plans["ivf_sq"].disk == views * 2056 + 16384 * (4096 + 8)
    rotation, codebook, lists = 4 * 1024 * 256, 256 * 4 * 256, 16384 * (4 * 256 + 8)
    assert plans["opq_ivf_pq"].disk == views * 72 + lists + codebook + rotation
    # 64 views a list, twice in float32, before and after the rotation to 256 dimensions.
    assert plans["opq_ivf_pq"].build == 2 * 64 * 16384 * (1024 + 256) * 4


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("ivf", "factory is 'ivf', expected one of"),
        ("IVF16,XQ3", "factory 'IVF16,XQ3' is no index type of faiss"),
        ("RQ2x4", "the size of 'RQ2x4' cannot be estimated"),
        ("IVF16,PQ8x4fs", "the size of 'IVF16,PQ8x4fs' cannot be estimated"),
        ("IVF16,Flat,RFlat", "the size of 'IVF16,Flat,RFlat' cannot be estimated"),
    ],
)
def test_types_that_cannot_be_estimated(kind, words):
    with pytest.raises(InputError, match=words):
        sizes(kind, 20_000, 64)
