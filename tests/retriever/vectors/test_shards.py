"""Views on disk in parts: numbers, blocks, what does not fit together."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.retriever.vectors.shards import Shards
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


@settings(deadline=None, max_examples=40)  # files are written
@given(st.lists(st.integers(1, 5), min_size=1, max_size=12), st.data())
def test_blocks_are_all_views_and_divide_no_entity(tmp_path_factory, counts, data):
    cut = data.draw(st.integers(0, len(counts) - 1))
    sizes = [cut, len(counts) - cut] if cut else [len(counts)]
    counts = np.array(counts)
    vectors = np.arange(2.0 * counts.sum()).reshape(-1, 2)
    shards = Shards(write_shards(tmp_path_factory.mktemp("s"), vectors, counts, sizes))
    blocks = list(shards.blocks(data.draw(st.integers(0, 1))))
    assert np.array_equal(np.concatenate([block.vectors for block in blocks]), vectors)
    assert np.concatenate([block.rows for block in blocks]).tolist() == list(range(len(vectors)))
    assert np.array_equal(np.concatenate([block.owners for block in blocks]), owners(counts))
    firsts = [block.rows[block.starts] for block in blocks]
    assert np.array_equal(np.concatenate(firsts), np.cumsum(counts) - counts)
    for block in blocks:
        assert block.starts[0] == 0


def test_a_block_has_the_memory_it_was_given(made):
    assert len(list(made.shards.blocks(1))) == 3  # one a part
    assert len(list(made.shards.blocks(0))) == 600  # one an entity


def test_a_sample_is_spread_evenly(made):
    shards = made.shards
    sample = shards.sample(100, 3)
    assert np.array_equal(sample, shards.sample(100, 3))
    assert not np.array_equal(sample, shards.sample(100, 4))
    edges = np.arange(101) * shards.views // 100
    assert ((sample >= edges[:-1]) & (sample < edges[1:])).all()
    assert np.array_equal(shards.sample(shards.views + 1, 0), np.arange(shards.views))


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (shutil.rmtree, "holds no part-00000.npy"),
        (lambda folder: (folder / "part-00001.parquet").unlink(), "part-00001.parquet: no such"),
        (lambda folder: (folder / "part-00000.npy").write_bytes(b"x"), "part-00000.npy: damaged"),
    ],
)
def test_parts_that_cannot_be_used(folder, spoil, named):
    spoil(folder)
    with pytest.raises(InputError, match=named):
        Shards(folder)


def test_a_part_without_entities(tmp_path):
    counts = np.array([2, 1])
    shards = Shards(write_shards(tmp_path, np.arange(6.0).reshape(3, 2), counts, [0, 1, 0, 1, 0]))
    assert (shards.views, shards.entities) == (3, 2)
    assert shards.locate(np.arange(3))[0].tolist() == [0, 0, 1]
    assert [one.tolist() for one in shards.spans(np.array([1, 0]))] == [[2, 0], [1, 2]]
    assert [block.owners.tolist() for block in shards.blocks(0)] == [[0, 0], [1]]
