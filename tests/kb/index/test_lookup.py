"""What words and names are looked up by: made with a part, and kept in its file."""

import numpy as np
import pyarrow as pa
import pytest

from muver.io.errors import InputError
from muver.kb.index import changes, segments
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.lookup import MOST_COUNTED, Table, keys_of
from muver.retriever.answers import Mention

THERE = pa.array(["gate", "old", "gate", "gate", "smith"])
ROWS = np.array([0, 0, 0, 2, 2])
TWO = [
    Entity(id="1", title="gate", aliases=["Old gate"], description="old old"),
    Entity(id="2", title="smith", description="old"),
]


@pytest.mark.parametrize("size", [3, 1])
def test_a_table_and_its_column(size):
    table = Table.of(THERE, ROWS, 3)
    column = pa.record_batch({"words": table.column(size)}).column("words")
    assert len(column) == size
    for one in (table, Table.read(column)):
        assert np.all(np.diff(one.keys) > 0)
        found = [(rows.tolist(), counts.tolist()) for rows, counts in
                 one.having(keys_of(["smith", "tower", "gate", "old"]))]  # fmt: skip
        assert found == [([2], [1]), ([], []), ([0, 2], [2, 1]), ([0], [1])]
        assert one.matrix(3).toarray().sum(axis=0).tolist() == [3, 0, 2]


def test_a_count_that_is_too_large():
    table = Table.of(
        pa.array([7] * (MOST_COUNTED + 5), pa.uint64()), np.zeros(MOST_COUNTED + 5, int), 1
    )
    assert table.counts.tolist() == [MOST_COUNTED]


@pytest.mark.parametrize("table", ["words", "letters"])
def test_rows_that_there_are_not_are_refused(table, tmp_path, monkeypatch):
    """Of a file too large to be looked through when it is opened."""
    index = Index.create(tmp_path / "index", TWO)
    path = index.folder / "segments" / "000001.arrow"
    column = pa.ipc.open_file(path).get_batch(0).column(table)
    rows = column.field("rows").values.to_numpy()
    before, whole = rows.tobytes(), path.read_bytes()
    assert whole.count(before) == 1
    path.write_bytes(whole.replace(before, np.full_like(rows, 2**30).tobytes()))
    monkeypatch.setattr(segments, "AT_ONCE", 0)
    with pytest.raises(InputError, match="000001.arrow: damaged .*Bring it back from a copy"):
        Index.open(index.folder).retrieve([Mention("old smith")])
    assert "000001.arrow: damaged (its SHA-256 is" in changes.verify(index.folder)[0]
