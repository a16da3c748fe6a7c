"""Parquet of a fixed schema."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.parquet import batches, read_table, table_of, table_writer, write_table

SCHEMA = pa.schema([("name", pa.string()), ("number", pa.int32())])
ROWS = table_of(SCHEMA, (["a", "b", "c"], [1, 2, None]))


def test_whole_or_piece_by_piece(tmp_path):
    write_table(tmp_path / "whole", ROWS)
    with table_writer(tmp_path / "pieces", SCHEMA) as writer:
        writer.write_table(ROWS.slice(0, 2))
        writer.write_table(ROWS.slice(2))
    for name in ("whole", "pieces"):
        assert read_table(tmp_path / name, SCHEMA, "a list", "count").equals(ROWS)
    assert pq.read_metadata(tmp_path / "pieces").num_row_groups == 2


def test_some_rows(tmp_path):
    path = tmp_path / "seed=1" / "list"  # the folder's name adds no column
    write_table(path, ROWS)
    rows = read_table(path, SCHEMA, "a list", "count", name=["c", "a"])
    assert rows.equals(ROWS.take([0, 2]))


def test_metadata_may_differ_and_is_kept(tmp_path):
    write_table(tmp_path / "list", ROWS.replace_schema_metadata({"of": "2"}))
    assert read_table(tmp_path / "list", SCHEMA, "a list", "count").schema.metadata == {b"of": b"2"}


def damaged(path, start, end):
    """A table some of whose bytes are others; the columns' names are left as they are."""
    write_table(path, ROWS)
    content = bytearray(path.read_bytes())
    content[start:end] = b"\xff" * len(content[start:end])
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda path: None, "list: no such file. Run the count stage that makes it"),
        (lambda path: path.write_bytes(b"PAR1"), "list: not a Parquet file, or damaged"),
        (lambda path: damaged(path, 4, 40), "(?s)list: not a Parquet.*Run the count stage that"),
        (lambda path: damaged(path, -40, -8), "list: not a Parquet file, or damaged"),
        (
            lambda path: write_table(path, ROWS.select(["name"])),
            "list: has the columns name, a list has name, number. Run the count stage again",
        ),
    ],
)
def test_a_file_that_is_none(tmp_path, write, says):
    write(tmp_path / "list")
    with pytest.raises(InputError, match=says):
        read_table(tmp_path / "list", SCHEMA, "a list", "count")


def test_nothing_appears_when_writing_fails(tmp_path):
    with pytest.raises(RuntimeError), table_writer(tmp_path / "list", SCHEMA) as writer:
        writer.write_table(ROWS)
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_batches_hold_one_piece_of_a_file(tmp_path):
    """pyarrow would hold every piece that was read until the file's end."""
    texts = np.random.default_rng(7).bytes(8 << 20)
    pieces = [texts[start : start + 1024] for start in range(0, len(texts), 1024)]
    table = pa.table({"text": pa.array(pieces, pa.binary()), "n": range(len(pieces))})
    path = tmp_path / "pieces.parquet"
    pq.write_table(table, path, row_group_size=256)
    before, most, read = pa.total_allocated_bytes(), 0, []
    for batch in batches(path, 100, ("n", "text")):
        most = max(most, pa.total_allocated_bytes() - before)
        assert len(batch) <= 100
        read += batch["text"].to_pylist()
    assert read == pieces
    assert most < len(texts) / 4
