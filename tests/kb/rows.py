"""Rows of the workflow, and the indexes that they become."""

import json

from muver.cli import main
from muver.retriever.encoders.worlds import GlobalViews, Merge
from tests import tiny
from tests.stores import write_stores

SETTINGS = {
    "split": "test", "aggregate": "max", "merge_layers": 2, "k": 5, "match": "id", "memory_mb": 1,
    "metric": "dot", "search": "distant", "global_view": False,
}  # fmt: skip
GLOBAL = tiny.settings(GlobalViews, max_tokens=60)
MERGE = tiny.settings(
    Merge, layers=2, top_k=0.4, pairs="distant", among="neighbours", max_tokens=60
)


def write_row(encoder, corpus, root):
    """A model, its store, further views of each kind, and the corpus."""
    write_stores(tiny.make_model(encoder), corpus, root, "test", MERGE, GLOBAL)
    (root / "entities").write_bytes(corpus[0].read_bytes())
    (root / "sentences").write_bytes(corpus[2].read_bytes())
    return root


def index(root, out, settings, *more) -> int:
    command = ["stage", "index-row", "--settings", json.dumps(settings), "--out", str(out), *more]
    for name in ("model", "store", "merged", "global-views", "entities", "sentences"):
        command += [f"--{name}", str(root / name)]
    return main(command)
