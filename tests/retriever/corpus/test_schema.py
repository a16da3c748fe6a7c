"""Reading and writing the canonical tables."""

import pyarrow as pa

from muver.io.parquet import write_table
from muver.retriever.corpus.schema import ENTITIES, read_entities

ROW = {"world": "a", "entity": 0, "document_id": "D", "title": "T", "text": "x", "type": None}


def test_a_folder_name_with_an_equals_sign_adds_no_column(tmp_path):
    path = tmp_path / "seed=1" / "entities.parquet"
    write_table(path, pa.Table.from_pylist([ROW], ENTITIES))
    assert read_entities(path).to_pylist() == [ROW]
    assert read_entities(path, ["b"]).num_rows == 0
