"""Views that are added to a store: merged ones, one more an entity."""

import numpy as np
import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.schema import read_entities
from muver.retriever.encoders.worlds import Merge, merge_store
from muver.retriever.vectors.part import LayerWriter, open_layer
from muver.retriever.views.layout import View, merged_view, prefix_view
from tests import tiny
from tests.retriever.encoders.stages.conftest import MERGE, vector


def test_merged_layers_follow_the_store(folders, model):
    base = open_layer(folders / "store", 0).world("alder")
    ids = base.ids.to_pylist()
    for number in (1, 2):
        merged = open_layer(folders / "merged", number).world("alder")
        assert len(merged.entities)
        assert (np.diff(merged.entities) >= 0).all()
        for row, entity in enumerate(merged.entities):
            # Each view of these texts is one sentence, so spans count sentences and views alike.
            own = np.flatnonzero(base.entities == entity)
            parts = [ids[own[n]] for n in range(merged.first[row], merged.last[row] + 1)]
            expected = merged_view(parts, model.pieces.markers, 64)
            assert len(parts) >= 2 and merged.ids[row].as_py() == expected
            np.testing.assert_allclose(
                merged.vectors[row], vector(model, expected), rtol=0, atol=1e-5
            )


def test_spans_of_merged_views_count_sentences(folders, model, tmp_path):
    """Views of several sentences: their spans come from the store, not from slot numbers."""
    writer = LayerWriter()
    ids = [[5, 40, 3, 50 + n, 6] for n in range(4)]
    views = [View(ids[0], 0, 1), View(ids[1], 2, 2), View(ids[2], 3, 6), View(ids[3], 0, 0)]
    vectors = np.array([[0.0] * 32, [1.0] * 32, [9.0] * 32, [0.0] * 32], dtype=np.float32)
    writer.add("alder", [1, 1, 1, 4], views, vectors)
    writer.write(tmp_path / "store", 0)
    merge_store(
        folders / "model", tmp_path / "store", tmp_path / "merged", replace(MERGE, layers=1)
    )
    layer = open_layer(tmp_path / "merged", 1).world("alder")
    assert (layer.entities.tolist(), layer.first.tolist(), layer.last.tolist()) == ([1], [2], [6])


def test_wasted_choices_are_replaced(folders, tmp_path):
    """Close pairs of five views: what is merged once is closest to its neighbours from then on."""
    made = {}
    for wasted in ("kept", "replaced"):
        settings = replace(MERGE, pairs="close", layers=4, wasted=wasted)
        merge_store(folders / "model", folders / "store", tmp_path / wasted, settings)
        assert read_json(tmp_path / wasted / "manifest.json")["settings"]["wasted"] == wasted
        made[wasted] = sum(len(open_layer(tmp_path / wasted, n).rows()) for n in range(1, 5))
    assert made["replaced"] > made["kept"]


def test_no_choice_is_wasted_among_all_views():
    with pytest.raises(InputError, match="among all views no choice is wasted"):
        tiny.settings(Merge, **{**MERGE.as_dict(), "among": "all", "wasted": "replaced"})


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
