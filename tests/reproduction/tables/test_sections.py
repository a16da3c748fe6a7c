"""What stands above a table."""

from types import SimpleNamespace as Of

import pytest

from muver.reproduction.tables.sections import note_of


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
        Of(method=name, precision={"encoding": "bf16"} if name in reduced else {},
           views_per_entity=vectors)
        for name, vectors in {"BM25": None, "SOM": 12.0, "MuVER": 4.0}.items()
    ]  # fmt: skip
    one = Of(mentions=2, worlds=["cedar"], worlds_without_mentions=[])
    table = Of(kb=None, sets=[one], rows=rows, paper=Of(note=None))
    assert note_of(table).endswith(f"every mention counting the same.{told}")
