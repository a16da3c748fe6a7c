"""A model's directory, its store, and further views of each kind, made once."""

import numpy as np
import pytest
import torch

from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.worlds import GlobalViews, Merge
from tests import tiny
from tests.stores import write_stores

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
    return write_stores(model, corpus, root, "train", MERGE, GLOBAL)


def vector(model, ids) -> np.ndarray:
    with torch.no_grad():
        return model.encode_views(pack([ids]))[0].numpy()
