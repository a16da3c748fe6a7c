"""One more view an entity."""

import numpy as np

from muver.retriever.corpus.schema import read_entities
from muver.retriever.vectors.store import ViewStore
from muver.retriever.views.layout import prefix_view
from tests.retriever.encoders.stages.conftest import vector


def test_global_views(folders, model, corpus):
    base = ViewStore(folders / "store").layer(0)
    views = ViewStore(folders / "globals").layer(0)
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
