"""Mention vectors and the manifest beside them."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.vectors.mentions import check_mentions, read_mentions, write_mentions


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
    write_mentions(path, made.mentions, "model-b", sha256_of(table))
    with pytest.raises(InputError, match=r"set.npy: vectors of another model \(model-b\) than"):
        read_mentions(path, made.shards)
    write_mentions(path, made.mentions, "model-a", sha256_of(table))
    table.write_bytes(b"another table")
    assert len(read_mentions(path, made.shards)) == 60
    with pytest.raises(InputError, match="60 vectors of another table of mentions than .*parquet"):
        read_mentions(path, made.shards, table)


def test_vectors_of_unknown_origin(made, written):
    path, _ = written
    for text, words in (('{"stage": "encode"}', "not the manifest of mention"), ("[]", "not the")):
        path.with_suffix(".json").write_text(text)
        with pytest.raises(InputError, match=f"set.json: {words}"):
            read_mentions(path, made.shards)
    path.with_suffix(".json").unlink()
    with pytest.raises(InputError, match="set.json: no such file"):
        read_mentions(path, made.shards)


def test_a_write_that_fails_leaves_no_manifest_of_the_former_vectors(made, written, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path, _ = written
    monkeypatch.setattr(np, "save", full)
    with pytest.raises(InputError, match="set.npy: cannot be written .No space left"):
        write_mentions(path, made.mentions, "model-b", "")
    assert sorted(one.name for one in path.parent.iterdir()) == ["set.npy", "set.parquet"]


def test_mentions_of_another_dimension(made):
    with pytest.raises(InputError, match=r"m.npy: vectors of shape \(2, 3\), .* 16 dimensions"):
        check_mentions(np.zeros((2, 3), np.float32), made.shards, "m.npy")
