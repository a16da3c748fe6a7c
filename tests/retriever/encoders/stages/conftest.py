"""A model's directory, its store, and further views of each kind, made once."""

import numpy as np
import pytest
import torch

from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.worlds import (
    Encode,
    GlobalViews,
    Merge,
    encode_global,
    encode_split,
    merge_store,
)
from tests import tiny

GLOBAL = tiny.settings(GlobalViews, max_tokens=30)
MERGE = tiny.settings(
    Merge, layers=2, top_k=0.4, pairs="distant", among="neighbours", max_tokens=64
)


@pytest.fixture(scope="package")
def model(encoder):
    return tiny.make_model(encoder)


@pytest.fixture(scope="package")
def folders(model, corpus, tmp_path_factory):
    """A model's directory, its store of the training worlds, and further views of each kind."""
    root = tmp_path_factory.mktemp("stages")
    model.save_pretrained(root / "model")
    encode_split(root / "model", *corpus, root / "store", tiny.settings(Encode, split="train"))
    merge_store(root / "model", root / "store", root / "merged", MERGE)
    encode_global(root / "model", root / "store", corpus[0], root / "globals", GLOBAL)
    return root


def vector(model, ids) -> np.ndarray:
    with torch.no_grad():
        return model.encode_views(pack([ids]))[0].numpy()
