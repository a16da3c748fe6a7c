"""What stands above a table."""

import pytest

from muver.reproduction.tables.records import TableSet
from muver.reproduction.tables.sections import note_of
from tests.blank import blank, made_table


@pytest.mark.parametrize(
    ("reduced", "told"),
    [
        ([], ""),
        (["SOM"], " Not in fp32: SOM (encoding bf16)."),
        (["SOM", "MuVER"], " Not in fp32: any row with vectors (encoding bf16)."),
        (["BM25", "SOM", "MuVER"], " Not in fp32: any row (encoding bf16)."),
    ],
)
def test_rows_not_in_fp32_are_named_unless_all_are(reduced, told):
    rows = [
        {"system": name, "method": name, "views": vectors,
         "precision": {"encoding": "bf16"} if name in reduced else {}}
        for name, vectors in {"BM25": None, "SOM": 12.0, "MuVER": 4.0}.items()
    ]  # fmt: skip
    of_set = blank(TableSet, set="test", mentions=2, worlds=["cedar"])
    note = note_of(made_table(*rows, sets=[of_set]))
    assert note.endswith(f"every mention counting the same.{told}")
