"""Layers on disk: what is written is read, world by world, and damage is told."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.parquet import table_of
from muver.retriever.vectors.part import (
    MENTIONS,
    Part,
    layer_path,
    open_layer,
    view_rows,
    write_part,
)
from muver.retriever.views.layout import View


def write(folder, number=0):
    views = [View([1, 2], 0, 0), View([3], 1, 2), View([], -1, -1)]
    alder = view_rows("alder", [0, 0, 2], views), np.float32([[0, 1], [2, 3], [4, 5]])
    birch = view_rows("birch", [5], [View([4, 5, 6], 0, 0)]), np.float32([[8, 9]])
    write_part(layer_path(folder, number), [alder, birch])


def test_round_trip(tmp_path):
    write(tmp_path)
    opened = open_layer(tmp_path, 0)
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
    assert isinstance(open_layer(tmp_path, 0).world("alder").vectors, np.memmap)


def test_a_world_without_views_in_a_layer(tmp_path):
    write(tmp_path, 3)
    none = open_layer(tmp_path, 3).world("cedar")
    assert none.vectors.shape == (0, 2)
    assert len(none.entities) == len(none.first) == len(none.last) == len(none.ids) == 0


def test_a_layer_without_any_views(tmp_path):
    none = view_rows("alder", [], []), np.empty((0, 2), dtype=np.float32)
    write_part(layer_path(tmp_path, 1), [none])
    opened = open_layer(tmp_path, 1)
    assert opened.worlds == []
    assert opened.world("alder").vectors.shape == (0, 2)
    assert opened.world("alder").entities.tolist() == []


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda matrix, views: matrix.unlink(), "layer0.npy: .*Run the stage that makes it"),
        (lambda matrix, views: views.unlink(), "layer0.parquet: no such file"),
        (lambda matrix, views: views.write_bytes(b"x"), "layer0.parquet: not a Parquet file"),
    ],
)
def test_files_that_do_not_belong_together(tmp_path, spoil, named):
    write(tmp_path)
    spoil(tmp_path / "layer0.npy", tmp_path / "layer0.parquet")
    with pytest.raises(InputError, match=named):
        open_layer(tmp_path, 0)


def test_rows_that_are_damaged(tmp_path):
    write(tmp_path)
    path = tmp_path / "layer0.parquet"
    content = bytearray(path.read_bytes())
    content[4:40] = b"\xff" * 36
    path.write_bytes(content)
    with pytest.raises(InputError, match="(?s)layer0.parquet: .*damaged.*Run the stage that"):
        open_layer(tmp_path, 0).rows()


def test_mentions_name_themselves(tmp_path):
    vectors = np.eye(3, dtype=np.float32)
    alder = table_of(MENTIONS, [["alder"] * 2, ["a", "b"]]), vectors[:2]
    birch = table_of(MENTIONS, [["birch"], ["c"]]), vectors[2:]
    write_part(tmp_path / "m.npy", [alder, birch], {"model": "one"})
    part = Part(tmp_path / "m.npy")
    assert part.rows("alder")["mention_id"].to_pylist() == ["a", "b"] and part.model == "one"
    assert part.vectors("birch").tolist() == [[0, 0, 1]]
