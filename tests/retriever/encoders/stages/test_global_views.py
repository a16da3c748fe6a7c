"""One more view an entity."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities
from muver.retriever.encoders.stages.global_views import encode_global
from muver.retriever.vectors.part import open_layer
from muver.retriever.views.layout import prefix_view
from tests.retriever.encoders.stages.conftest import GLOBAL, vector


def test_global_views(folders, model, corpus):
    base = open_layer(folders / "store", 0)
    views = open_layer(folders / "globals", 0)
    assert views.worlds == base.worlds == ["alder", "birch"]
    for world in views.worlds:
        described = read_entities(corpus[0], [world])
        own = views.world(world)
        assert own.entities.tolist() == list(range(12))
        titles, texts = (model.pieces.ids(described[c].to_pylist()) for c in ("title", "text"))
        for row in range(12):
            expected = prefix_view(titles[row], texts[row], model.pieces.markers, 30)
            assert own.ids[row].as_py() == expected
            np.testing.assert_allclose(own.vectors[row], vector(model, expected), rtol=0, atol=1e-5)
            spans = base.world(world).entities == row
            assert (own.first[row], own.last[row]) == (0, spans.sum() - 1)


def test_entities_of_another_run(folders, corpus, tmp_path):
    pq.write_table(pq.read_table(corpus[0]).slice(1), tmp_path / "entities.parquet")
    with pytest.raises(InputError, match="has 12 entities and .* 11 of world 'alder'"):
        encode_global(
            folders / "model", folders / "store", tmp_path / "entities.parquet", tmp_path, GLOBAL
        )
