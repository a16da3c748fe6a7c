"""Encoding a split's entities and mentions."""

import numpy as np
import pytest
import torch

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_mentions
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.worlds import Encode, encode_split
from muver.retriever.vectors.part import open_layer
from muver.retriever.views.worlds import load_worlds
from tests import tiny
from tests.retriever.encoders.stages.conftest import vector


def test_the_store_holds_every_view_and_mention(folders, model, corpus):
    worlds = load_worlds(*corpus, "train", model.config, model.pieces)
    layer = open_layer(folders / "store", 0)
    assert layer.worlds == ["alder", "birch"]
    for world in worlds:
        stored = layer.world(world.name)
        flat = [(n, view) for n, some in enumerate(world.views) for view in some]
        assert stored.entities.tolist() == [entity for entity, _ in flat]
        assert stored.first.tolist() == [view.first for _, view in flat]
        assert stored.ids.to_pylist() == [view.ids for _, view in flat]
        for row in (0, len(flat) - 1):
            expected = vector(model, flat[row][1].ids)
            np.testing.assert_allclose(stored.vectors[row], expected, rtol=0, atol=1e-5)
    mentions = np.load(folders / "store" / "mentions.npy")
    assert mentions.shape == (read_mentions(corpus[1], "train").num_rows, 32)
    with torch.no_grad():
        last = model.encode_mentions(pack(worlds[-1].contexts[-1:]))[0].numpy()
    np.testing.assert_allclose(mentions[-1], last, rtol=0, atol=1e-5)


def test_token_vectors_are_not_stored(encoder, corpus, tmp_path):
    tiny.make_model(encoder, "sum_max").save_pretrained(tmp_path / "model")
    with pytest.raises(InputError, match="compares token vectors.*retrieve --kind tokens"):
        encode_split(
            tmp_path / "model", *corpus, tmp_path / "store", tiny.settings(Encode, split="test")
        )
