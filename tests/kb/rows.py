"""Rows of the workflow, and the indexes that they become."""

import json

from muver.cli import main
from muver.retriever.encoders.worlds import (
    Encode,
    GlobalViews,
    Merge,
    encode_global,
    encode_split,
    merge_store,
)
from tests import tiny

SETTINGS = {
    "split": "test", "aggregate": "max", "merge_layers": 2, "k": 5, "match": "id", "memory_mb": 1,
    "metric": "dot", "search": "distant", "global_view": False,
}  # fmt: skip
MERGE = {
    "layers": 2, "top_k": 0.4, "pairs": "distant", "among": "neighbours", "max_tokens": 60,
}  # fmt: skip


def write_row(encoder, corpus, root):
    """A model, its store, further views of each kind, and the corpus."""
    tiny.make_model(encoder).save_pretrained(root / "model")
    encode_split(root / "model", *corpus, root / "store", tiny.settings(Encode, split="test"))
    merge_store(root / "model", root / "store", root / "merged", tiny.settings(Merge, **MERGE))
    settings = tiny.settings(GlobalViews, max_tokens=60)
    encode_global(root / "model", root / "store", corpus[0], root / "global-views", settings)
    (root / "entities").write_bytes(corpus[0].read_bytes())
    (root / "sentences").write_bytes(corpus[2].read_bytes())
    return root


def index(root, out, settings, *more) -> int:
    command = ["stage", "index-row", "--settings", json.dumps(settings), "--out", str(out), *more]
    for name in ("model", "store", "merged", "global-views", "entities", "sentences"):
        command += [f"--{name}", str(root / name)]
    return main(command)
