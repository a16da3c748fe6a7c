"""Views on disk in parts: numbers, blocks, what does not fit together."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.retriever.vectors import shards as module
from muver.retriever.vectors.shards import Shards, write_part
from tests.retriever.vectors.made import owners, write_shards


@pytest.fixture
def folder(tmp_path):
    """Three parts: 2, 1 and 3 entities with 3 + 1, 2 and 1 + 4 + 1 views of 2 dimensions."""
    counts = np.array([3, 1, 2, 1, 4, 1])
    return write_shards(tmp_path, np.arange(24.0).reshape(12, 2), counts, [2, 1, 3], np.float16)


def test_numbers(folder):
    shards = Shards(folder)
    assert (shards.views, shards.entities, shards.dimension) == (12, 6, 2)
    assert shards.model == "model-a"
    entities, places = shards.locate(np.array([11, 0, 3, 2, 4, 5, 6, 10]))
    assert entities.tolist() == [5, 0, 1, 0, 2, 2, 3, 4]
    assert places.tolist() == [0, 0, 0, 2, 0, 1, 0, 3]


def test_gather_in_any_order(folder):
    found = Shards(folder).gather(np.array([11, 0, 4, 4]))
    assert found.dtype == np.float32
    assert found.tolist() == [[22, 23], [0, 1], [8, 9], [8, 9]]


def test_a_number_that_no_view_has(folder):
    with pytest.raises(InputError, match="has 12 views, asked for number 12"):
        Shards(folder).gather(np.array([12]))


@settings(deadline=None, max_examples=40)  # files are written
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.data())
def test_blocks_are_all_views_and_divide_no_entity(tmp_path_factory, counts, data):
    cut = data.draw(st.integers(0, len(counts) - 1))
    sizes = [cut, len(counts) - cut] if cut else [len(counts)]
    counts = np.array(counts)
    vectors = np.arange(2.0 * counts.sum()).reshape(-1, 2)
    shards = Shards(write_shards(tmp_path_factory.mktemp("s"), vectors, counts, sizes))
    rows = data.draw(st.integers(5, 12))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_VIEWS", rows)
        blocks = list(shards.blocks(0))
    assert np.array_equal(np.concatenate([block.vectors for block in blocks]), vectors)
    assert np.concatenate([block.rows for block in blocks]).tolist() == list(range(len(vectors)))
    assert np.array_equal(np.concatenate([block.owners for block in blocks]), owners(counts))
    firsts = [block.rows[block.starts] for block in blocks]
    assert np.array_equal(np.concatenate(firsts), np.cumsum(counts) - counts)
    for block in blocks:
        assert len(block.vectors) <= rows
        assert block.starts[0] == 0


def test_a_block_has_the_memory_it_was_given(made):
    assert len(list(made.shards.blocks(1))) == 3  # one a part
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_VIEWS", 100)
        assert max(len(block.vectors) for block in made.shards.blocks(0)) <= 100


def test_a_sample_is_spread_evenly(made):
    shards = made.shards
    sample = shards.sample(100, 3)
    assert np.array_equal(sample, shards.sample(100, 3))
    assert not np.array_equal(sample, shards.sample(100, 4))
    edges = np.arange(101) * shards.views // 100
    assert ((sample >= edges[:-1]) & (sample < edges[1:])).all()
    assert np.array_equal(shards.sample(shards.views + 1, 0), np.arange(shards.views))


def test_the_fingerprint_is_of_all_parts(folder):
    before = Shards(folder).fingerprint
    assert Shards(folder).fingerprint == before
    write_part(folder, 1, np.zeros((2, 2), np.float16), np.array([2]), "model-a", "kb-new")
    assert Shards(folder).fingerprint != before


def rewritten(model, dtype, dimension):
    """Writes part 1 as another run would have."""
    vectors = np.zeros((2, dimension), dtype)
    return lambda folder: write_part(folder, 1, vectors, np.array([2]), model, "kb-1")


def counted(*counts):
    """Writes the numbers of views of part 2."""
    return lambda folder: np.save(folder / "part-00002.counts.npy", np.array(counts, np.uint8))


def lost(name):
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (rewritten("model-b", np.float16, 2), "part-00001.npy: its model is model-b, .* model-a"),
        (rewritten("model-a", np.float16, 3), "part-00001.npy: its dimension is 3, .* 2"),
        (rewritten("model-a", np.float32, 2), "part-00001.npy: its dtype is float32, .* float16"),
        (rewritten("model-a", np.float64, 2), r"part-00001.npy: \(2, 2\) of float64"),
        (shutil.rmtree, "holds no part-00000.json"),
        (lost("part-00001.json"), "part-00001.json: no such file"),
        (lost("part-00001.npy"), "part-00001.npy: no such file"),
        (lost("part-00001.counts.npy"), "part-00001.counts.npy: no such file"),
        (lambda folder: (folder / "part-00000.npy").write_bytes(b"x"), "part-00000.npy: damaged"),
        (counted(2, 4, 0), "part-00002.counts.npy: 3 entities with 6 views"),
        (counted(1, 4), "part-00002.counts.npy: 2 entities with 5 views"),
        (lambda folder: write_json(folder / "part-00002.json", {}), "part-00002.json: .*'views'"),
    ],
)
def test_parts_that_cannot_be_used(folder, spoil, named):
    spoil(folder)
    with pytest.raises(InputError, match=named):
        Shards(folder)


def test_the_last_part_is_missing_from_a_knowledge_base(folder):
    parts = [
        {"file": f"part-{n:05d}.parquet", "entities": size, "fingerprint": f"kb-{n}"}
        for n, size in enumerate([2, 1, 3])
    ]
    assert Shards(folder, {"parts": parts}).entities == 6
    fourth = {"file": "part-00003.parquet", "entities": 1, "fingerprint": "kb-3"}
    with pytest.raises(InputError, match="part-00003.json: no such file: a part is missing"):
        Shards(folder, {"parts": [*parts, fourth]})
    with pytest.raises(InputError, match="part-00002.npy: part 2, but the knowledge base has 2"):
        Shards(folder, {"parts": parts[:2]})
    with pytest.raises(InputError, match="part-00001.npy: 1 entities of another part"):
        Shards(folder, {"parts": [parts[0], {**parts[1], "fingerprint": "other"}, parts[2]]})
