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
    kinds.runs_a_model(name), kinds.find(name).Settings
    kinds.needs(name, {})
sys.exit(bool({"numpy", "pyarrow", "torch", "faiss", "bm25s"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    ("kind", "run", "needed"),
    [
        ("bm25", {}, ""),
        ("views", {"aggregate": "max"}, "store"),
        ("views", {"merge_layers": 4}, "store merged"),
        ("views", {"global_view": 0.2}, "store global_views"),
        ("views", {"temperature": [1, 2]}, "store validation_runs"),
        ("tokens", {}, "sentences model"),
        ("fusion", {}, "runs"),
        ("shards", {"index": None}, "kb vectors mention_vectors"),
        ("shards", {"index": "hnsw"}, "kb vectors mention_vectors index"),
        ("rerank", {}, "sentences model runs"),
        ("signals", {}, "texts validation_texts"),
        ("signals", {"of": ["names"]}, "texts"),
        ("signals", {"of": ["words", "characters"]}, ""),
        ("signals", {"of": [{}, "words"]}, "views validation_views"),
        ("signals", {"of": [{}, "run"]}, "views scores validation_views validation_scores"),
    ],
)
def test_what_a_run_of_a_kind_needs(kind, run, needed):
    found = kinds.needs(kind, run)
    assert set(found) - {"entities", "mentions"} == set(needed.split())
    assert set(found) <= set(kinds.Inputs.__annotations__)
    assert kinds.runs_a_model(kind) == (kind in ("tokens", "rerank"))


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
