"""The mentions of a linked set to vectors, and their way into a search."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from muver.cli import main
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.vectors.part import Part
from muver.retriever.views.worlds import context_ids
from tests import tiny
from tests.retriever.encoders.stages.wikipedia import link, make_base

VIEWS = {"kind": "prefix", "max_tokens": 60}
LABEL = ["--label", "blink_wiki", "--settings", json.dumps(tiny.COMPUTE)]


@pytest.fixture(scope="module")
def root(tmp_path_factory, encoder):
    """A model, a base and a set."""
    folder = tmp_path_factory.mktemp("linked")
    kb = make_base(folder, 20_000)
    link(folder, kb, "msnbc")
    tiny.make_model(encoder, views=VIEWS).save_pretrained(folder / "model")
    return folder


def test_vectors_and_their_rows(root, encoder, tmp_path):
    files = {"model": root / "model", "mentions": root / "msnbc.parquet"}
    files["out"] = tmp_path / "msnbc.npy"
    options = [f"--{name}={path}" for name, path in files.items()]
    assert main(["stage", "encode-mentions", *LABEL, *options]) == 0
    vectors = np.load(tmp_path / "msnbc.npy")
    table = pq.read_table(root / "msnbc.parquet")
    assert vectors.shape == (9, 32) and vectors.dtype == np.float32
    model = tiny.make_model(encoder, views=VIEWS)
    contexts = context_ids(table, model.pieces, model.config.context)
    with torch.no_grad():
        for row, context in enumerate(contexts):
            alone = model.encode_mentions(pack([context]))[0].numpy()
            np.testing.assert_allclose(vectors[row], alone, rtol=0, atol=1e-5)
    rows = Part(tmp_path / "msnbc.npy")
    assert rows.rows()["mention_id"].equals(table["mention_id"])
    assert rows.model == model_fingerprint(root / "model")
