"""The protocol of retriever kinds, and that another module is another kind."""

import subprocess
import sys

import pytest

from muver.io.errors import InputError
from muver.retriever.retrieval import kinds


def test_what_rules_read_imports_nothing_heavy():
    code = """
import sys
from muver.retriever.retrieval import kinds
for name in kinds.names():
    kinds.runs_a_model(name), kinds.find(name).Settings, kinds.find(name).needs({"by": "weighted"})
sys.exit(bool({"numpy", "pyarrow", "torch", "faiss", "bm25s"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("row", "model", "kind", "needed"),
    [
        ({"retriever": "bm25"}, {}, "bm25", ""),
        ({"model": "blink"}, {}, "views", "store"),
        ({"model": "muver", "merge_layers": 4}, {}, "views", "store merged"),
        ({"model": "muver", "global_view": True}, {}, "views", "store global_views"),
        ({"model": "som"}, {"score": "sum_max"}, "tokens", "sentences model"),
        ({"fuse": ["a", "b"], "by": "reciprocal_rank"}, {}, "fusion", "runs"),
        ({"fuse": ["a", "b"], "by": "weighted"}, {}, "fusion", "runs validation_runs"),
        ({"model": "a", "index": None}, {"shards": True}, "shards", "kb vectors mention_vectors"),
        ({"model": "a", "index": "hnsw"}, {"shards": True}, "shards",
         "kb vectors mention_vectors index"),
    ],
)  # fmt: skip
def test_the_kind_of_a_row_and_what_it_needs(row, model, kind, needed):
    assert kinds.kind_of(row, **model) == kind
    found = kinds.find(kind).needs(row)
    assert set(found) - {"entities", "mentions"} == set(needed.split())
    assert set(found) <= set(kinds.Inputs.__annotations__)
    assert kinds.runs_a_model(kind) == (kind == "tokens")


def test_kinds_and_inputs_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="Did you mean 'bm25'"):
        kinds.find("bm2")
    with pytest.raises(InputError, match="tokens: missing .*'compute'"):
        inputs = dict.fromkeys(("entities", "mentions", "sentences", "model"), tmp_path)
        settings = {"split": "test", "k": 1, "match": "id", "memory_mb": 1}
        kinds.retrieve("tokens", settings, tmp_path / "r", tmp_path / "m", **inputs)
    with pytest.raises(InputError, match="tokens: .*unexpected keyword argument 'kb'"):
        more = {"compute": tmp_path, "kb": tmp_path}
        kinds.retrieve("tokens", settings, tmp_path / "r", tmp_path / "m", **inputs, **more)
