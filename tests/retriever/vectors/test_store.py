"""Layers on disk: what is written is read, world by world, and damage is told."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.retriever.vectors.store import LayerWriter, ViewStore, layer_files
from muver.retriever.views.layout import View


def write(folder, layer=0):
    writer = LayerWriter()
    first = np.arange(6, dtype=np.float32).reshape(3, 2)
    writer.add("alder", [0, 0, 2], [View([1, 2], 0, 0), View([3], 1, 2), View([], -1, -1)], first)
    writer.add("birch", [5], [View([4, 5, 6], 0, 0)], np.array([[8, 9]], dtype=np.float32))
    writer.write(folder, layer)


def test_round_trip(tmp_path):
    write(tmp_path)
    opened = ViewStore(tmp_path).layer(0)
    assert opened.worlds == ["alder", "birch"]
    alder, birch = opened.world("alder"), opened.world("birch")
    assert alder.vectors.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert alder.vectors.dtype == np.float32
    assert alder.entities.tolist() == [0, 0, 2]
    assert (alder.first.tolist(), alder.last.tolist()) == ([0, 1, -1], [0, 2, -1])
    assert alder.ids.to_pylist() == [[1, 2], [3], []]
    assert birch.vectors.tolist() == [[8, 9]] and birch.entities.tolist() == [5]
    assert birch.ids.to_pylist() == [[4, 5, 6]]


def test_vectors_stay_on_disk(tmp_path):
    write(tmp_path)
    assert isinstance(ViewStore(tmp_path).layer(0).world("alder").vectors, np.memmap)


def test_a_world_without_views_in_a_layer(tmp_path):
    write(tmp_path, 3)
    none = ViewStore(tmp_path).layer(3).world("cedar")
    assert none.vectors.shape == (0, 2)
    assert len(none.entities) == len(none.first) == len(none.last) == len(none.ids) == 0


def test_a_layer_without_any_views(tmp_path):
    writer = LayerWriter()
    writer.add("alder", [], [], np.empty((0, 2), dtype=np.float32))
    writer.write(tmp_path, 1)
    layer = ViewStore(tmp_path).layer(1)
    assert layer.worlds == []
    assert layer.world("alder").vectors.shape == (0, 2)
    assert layer.world("alder").entities.tolist() == []


def test_equal_stores_have_equal_bytes(tmp_path):
    write(tmp_path / "one")
    write(tmp_path / "two")
    for one, two in zip(
        layer_files(tmp_path / "one", 0), layer_files(tmp_path / "two", 0), strict=True
    ):
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda matrix, views: matrix.unlink(), "layer0.npy: .*Run the stage that makes it"),
        (lambda matrix, views: views.unlink(), "layer0.parquet: no such file"),
        (lambda matrix, views: np.save(matrix, np.zeros((7, 2))), "4 rows, .* 7"),  # another run's
    ],
)
def test_files_that_do_not_belong_together(tmp_path, spoil, named):
    write(tmp_path)
    spoil(*layer_files(tmp_path, 0))
    with pytest.raises(InputError, match=named):
        ViewStore(tmp_path).layer(0)
