"""The stages that encode a split's worlds: views and mentions, merged views, global views."""

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.schema import read_entities, read_mentions
from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.worlds import Encode, Merge, encode_global, encode_split, merge_store
from muver.retriever.vectors.part import layer_path, open_layer, view_rows, write_part
from muver.retriever.views.layout import View, merged_view, prefix_view
from muver.retriever.views.worlds import load_worlds
from tests import tiny
from tests.retriever.encoders.stages.conftest import GLOBAL, MERGE, vector


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
    ids = [[5, 40, 3, 50 + n, 6] for n in range(4)]
    views = [View(ids[0], 0, 1), View(ids[1], 2, 2), View(ids[2], 3, 6), View(ids[3], 0, 0)]
    vectors = np.array([[0.0] * 32, [1.0] * 32, [9.0] * 32, [0.0] * 32], dtype=np.float32)
    store, rows = tmp_path / "store", view_rows("alder", [1, 1, 1, 4], views)
    write_part(layer_path(store, 0), [(rows, vectors)])
    merge_store(folders / "model", store, tmp_path / "merged", replace(MERGE, layers=1))
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
    views = open_layer(folders / "global-views", 0)
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


def test_views_longer_than_the_encoder_s_positions(folders, corpus, tmp_path):
    inputs, out = (folders / "model", folders / "store"), tmp_path / "out"
    merge, global_view = (replace(one, max_tokens=65) for one in (MERGE, GLOBAL))
    for setting, stage in (
        ("merge", lambda: merge_store(*inputs, out, merge)),
        ("global_view", lambda: encode_global(*inputs, corpus[0], out, global_view)),
    ):
        with pytest.raises(InputError, match=f"{setting}.max_tokens is 65, but .* 64 positions"):
            stage()
    assert not out.exists()


def test_a_repeat_gives_the_same_bytes(folders, corpus, tmp_path):
    encode_split(
        folders / "model", *corpus, tmp_path / "store", tiny.settings(Encode, split="train")
    )
    store = tmp_path / "store"
    merge_store(folders / "model", store, tmp_path / "merged", MERGE)
    encode_global(folders / "model", store, corpus[0], tmp_path / "global-views", GLOBAL)
    for folder in ("store", "merged", "global-views"):
        for path in (folders / folder).iterdir():
            assert (tmp_path / folder / path.name).read_bytes() == path.read_bytes(), path
