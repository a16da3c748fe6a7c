"""A model's directory, its store, and further views of each kind."""

from muver.retriever.encoders.worlds import Encode, encode_global, encode_split, merge_store
from tests import tiny


def write_stores(model, corpus, root, split, merge, global_views):
    """Made by the stages, with settings of merging and of global views; the folder of them all."""
    model.save_pretrained(root / "model")
    encode_split(root / "model", *corpus, root / "store", tiny.settings(Encode, split=split))
    merge_store(root / "model", root / "store", root / "merged", merge)
    encode_global(root / "model", root / "store", corpus[0], root / "global-views", global_views)
    return root
