"""Mention vectors and the manifest beside them."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.retriever.vectors.mentions import check_mentions, read_mentions, write_mentions


@pytest.fixture
def written(made, tmp_path):
    (tmp_path / "set.parquet").write_bytes(b"a table")
    path, table = tmp_path / "set.npy", tmp_path / "set.parquet"
    write_mentions(path, made.mentions, "model-a", sha256_of(table), {"precision": "fp32"})
    return path, table


def test_what_is_written_is_read(made, written):
    path, table = written
    for vectors in (read_mentions(path, made.shards), read_mentions(path, made.shards, table)):
        assert np.array_equal(vectors, made.mentions) and vectors.dtype == np.float32
    manifest = read_json(path.with_suffix(".json"))
    assert manifest["settings"] == {"precision": "fp32"}
    assert manifest["inputs"] == {"model": "model-a", "mentions": sha256_of(table)}
    assert (manifest["mentions"], manifest["dimension"], manifest["dtype"]) == (60, 16, "float32")


def test_vectors_of_something_else(made, written):
    path, table = written
    manifest = path.with_suffix(".json")
    table.write_bytes(b"another table")
    assert len(read_mentions(path, made.shards)) == 60  # it was not asked
    for spoil, given, named in (
        (lambda: None, (table,), "60 vectors of another table of mentions than .*parquet"),
        (
            lambda: write_mentions(path, made.mentions, "model-b", sha256_of(table)),
            (),
            r"set.npy: vectors of another model \(model-b\)",
        ),
        (lambda: manifest.write_text('{"stage": "encode"}'), (), "set.json: not the manifest of"),
        (lambda: manifest.write_text("[]"), (), "set.json: not the manifest of"),
        (manifest.unlink, (), "set.json: no such file"),
    ):
        spoil()
        with pytest.raises(InputError, match=named):
            read_mentions(path, made.shards, *given)
    with pytest.raises(InputError, match=r"m.npy: vectors of shape \(2, 3\), .* 16 dimensions"):
        check_mentions(np.zeros((2, 3), np.float32), made.shards, "m.npy")


def test_a_write_that_fails_leaves_no_manifest_of_the_former_vectors(made, written, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path, _ = written
    monkeypatch.setattr(np, "save", full)
    with pytest.raises(InputError, match="set.npy: cannot be written .No space left"):
        write_mentions(path, made.mentions, "model-b", "")
    assert sorted(one.name for one in path.parent.iterdir()) == ["set.npy", "set.parquet"]
