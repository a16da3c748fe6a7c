"""Reading and writing the canonical tables."""

import pyarrow as pa
import pytest

from muver.io.errors import InputError
from muver.io.parquet import table_writer
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, read_entities, read_sentences

ROW = {"world": "a", "entity": 0, "document_id": "D", "title": "T", "text": "x", "type": None}


def test_a_folder_name_with_an_equals_sign_adds_no_column(tmp_path):
    path = tmp_path / "seed=1" / "entities.parquet"
    with table_writer(path, ENTITIES) as writer:
        writer.write_table(pa.Table.from_pylist([ROW], ENTITIES))
    assert read_entities(path).to_pylist() == [ROW]
    assert read_entities(path, ["b"]).num_rows == 0


def test_another_table(tmp_path):
    with table_writer(tmp_path / "table", MENTIONS):
        pass
    with pytest.raises(InputError, match="table.*sentences"):
        read_sentences(tmp_path / "table")
