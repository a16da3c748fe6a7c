"""Filling a view store: encoding a split, merging its views."""

import numpy as np
import pytest
import torch

from muver.corpus.schema import read_mentions
from muver.encoders.bulk import pad
from muver.encoders.stages import encode_split, merge_store
from muver.errors import InputError
from muver.files import read_json
from muver.views.layout import merged_view
from muver.views.store import LayerWriter, ViewStore
from muver.views.worlds import load_worlds
from tests import tiny

MERGE = {"layers": 2, "top_k": 0.4, "pairs": "distant", "max_tokens": 64, **tiny.COMPUTE}


@pytest.fixture(scope="module")
def model(encoder):
    return tiny.make_model(encoder)


@pytest.fixture(scope="module")
def folders(model, corpus, tmp_path_factory):
    """A model's directory, its store of the training worlds, and the merged layers."""
    root = tmp_path_factory.mktemp("stages")
    model.save_pretrained(root / "model")
    encode_split(root / "model", *corpus, root / "store", {"split": "train", **tiny.COMPUTE})
    merge_store(root / "model", root / "store", root / "merged", MERGE)
    return root


def vector(model, ids) -> np.ndarray:
    with torch.no_grad():
        return model.encode_views(*pad([ids]))[0].numpy()


def test_the_store_holds_every_view_and_mention(folders, model, corpus):
    worlds = load_worlds(*corpus, "train", model.config, model.pieces)
    layer = ViewStore(folders / "store").layer(0)
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
        last = model.encode_mentions(*pad(worlds[-1].contexts[-1:]))[0].numpy()
    np.testing.assert_allclose(mentions[-1], last, rtol=0, atol=1e-5)
    counts = read_json(folders / "store" / "manifest.json")["worlds"]
    assert counts["alder"]["entities"] == counts["alder"]["mentions"] == 12
    assert counts["alder"]["views"] == len(layer.world("alder").entities)


def test_merged_layers_follow_the_store(folders, model):
    base = ViewStore(folders / "store").layer(0).world("alder")
    ids = base.ids.to_pylist()
    for number in (1, 2):
        merged = ViewStore(folders / "merged").layer(number).world("alder")
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
    assert read_json(folders / "merged" / "manifest.json")["worlds"]["alder"]["layer1"] == len(
        ViewStore(folders / "merged").layer(1).world("alder").entities
    )


def test_spans_of_merged_views_count_sentences(folders, model, tmp_path):
    """Views of several sentences: their spans come from the store, not from slot numbers."""
    from muver.views.layout import View

    writer = LayerWriter()
    ids = [[5, 40, 3, 50 + n, 6] for n in range(4)]
    views = [View(ids[0], 0, 1), View(ids[1], 2, 2), View(ids[2], 3, 6), View(ids[3], 0, 0)]
    vectors = np.array([[0.0] * 32, [1.0] * 32, [9.0] * 32, [0.0] * 32], dtype=np.float32)
    writer.add("alder", [1, 1, 1, 4], views, vectors)
    writer.write(tmp_path / "store", 0)
    merge_store(folders / "model", tmp_path / "store", tmp_path / "merged", {**MERGE, "layers": 1})
    layer = ViewStore(tmp_path / "merged").layer(1).world("alder")
    assert (layer.entities.tolist(), layer.first.tolist(), layer.last.tolist()) == ([1], [2], [6])


def test_a_repeat_gives_the_same_bytes(folders, corpus, tmp_path):
    encode_split(folders / "model", *corpus, tmp_path / "store", {"split": "train", **tiny.COMPUTE})
    merge_store(folders / "model", tmp_path / "store", tmp_path / "merged", MERGE)
    for folder in ("store", "merged"):
        for path in (folders / folder).iterdir():
            assert (tmp_path / folder / path.name).read_bytes() == path.read_bytes(), path


def test_merged_views_longer_than_the_encoder_s_positions(folders, tmp_path):
    with pytest.raises(
        InputError, match="merge.max_tokens is 65, but the encoder has 64 positions"
    ):
        merge_store(
            folders / "model", folders / "store", tmp_path / "out", {**MERGE, "max_tokens": 65}
        )
    assert not (tmp_path / "out").exists()
