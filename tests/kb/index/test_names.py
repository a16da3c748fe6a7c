"""What words and names are looked up by: made with a part, and kept in its file."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from muver.io.errors import InputError
from muver.kb.index import changes, segments
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.names import MOST, Table, keys_of, places
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


def test_a_table_of_nothing():
    table = Table.of(pa.array([], pa.string()), np.empty(0, np.int64), 2)
    assert Table.read(table.column(2)).matrix(2).shape == (0, 2)
    assert [len(rows) for rows, _ in table.having(keys_of(["gate"]))] == [0]


def test_a_count_that_is_too_large():
    table = Table.of(pa.array([7] * (MOST + 5), pa.uint64()), np.zeros(MOST + 5, int), 1)
    assert table.counts.tolist() == [MOST]


def test_places():
    keys = np.array([2, 5, 9], np.uint64)
    assert places(keys, np.array([9, 1, 5, 10], np.uint64)).tolist() == [2, -1, 1, -1]
    assert places(keys[:0], keys).tolist() == [-1, -1, -1]


def test_what_a_part_keeps(tmp_path):
    index = Index.create(tmp_path / "index", TWO)
    (part,) = index._store.parts
    words = dict(zip(part._words.keys.tolist(), range(3), strict=True))
    assert words.keys() == set(keys_of(["gate", "old", "smith"]).tolist())
    (rows, counts), _ = part.having(keys_of(["old", "smith"]))
    assert (rows.tolist(), counts.tolist()) == ([0, 1], [3, 1])
    assert part.lengths.tolist() == [5, 2] and part.starts.tolist() == [0, 2, 3]
    assert part.folded.tolist() == keys_of(["gate", "old gate", "smith"]).tolist()
    index.update([Entity(id="1", title="gate")])
    index.compact()
    (part,) = Index.open(index.folder)._store.parts
    assert part.lengths.tolist() == [1, 2] and part.starts.tolist() == [0, 1, 2]
    assert len(part._words.keys) == 3 and part.letters[1].shape[1] == 2


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


CHANGE = """
import sys
from muver import Index
from muver.kb.index.entity import Entity
index = Index.open(sys.argv[1])
index.update([Entity(id="1", title="tower"), Entity(id="3", title="old gate")])
index.compact()
"""


def test_another_process_changes_an_index_that_is_open(tmp_path):
    """What was not yet read of the files that are gone is still there."""
    index = Index.create(tmp_path / "index", TWO)
    subprocess.run([sys.executable, "-c", CHANGE, str(index.folder)], check=True)
    assert not (index.folder / "segments" / "000001.arrow").exists()
    for opened, expected in ((index, ["1", "2"]), (index.refresh(), ["3", "2"])):
        [found] = opened.retrieve([Mention("old gate")])
        assert [one.document_id for one in found] == expected
