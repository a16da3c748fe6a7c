"""Filling a view store: encoding a split, merging its views."""

import argparse
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch

from muver.commands import encode_global as encode_global_command
from muver.commands import encode_spans as encode_spans_command
from muver.corpus.schema import read_entities, read_mentions
from muver.encoders.bulk import pad
from muver.encoders.stages import encode_global, encode_spans, encode_split, merge_store
from muver.errors import InputError
from muver.files import read_json, sha256_of
from muver.views.layout import View, merged_view, prefix_view
from muver.views.store import LayerWriter, ViewStore
from muver.views.worlds import load_worlds
from tests import tiny

GLOBAL = {"max_tokens": 30, **tiny.COMPUTE}
SPANS = {"max_views": 3, "max_tokens": 64, **tiny.COMPUTE}
MERGE = {"layers": 2, "top_k": 0.4, "pairs": "distant", "max_tokens": 64, **tiny.COMPUTE}


@pytest.fixture(scope="module")
def model(encoder):
    return tiny.make_model(encoder)


@pytest.fixture(scope="module")
def folders(model, corpus, tmp_path_factory):
    """A model's directory, its store of the training worlds, and further views of each kind."""
    root = tmp_path_factory.mktemp("stages")
    model.save_pretrained(root / "model")
    encode_split(root / "model", *corpus, root / "store", {"split": "train", **tiny.COMPUTE})
    merge_store(root / "model", root / "store", root / "merged", MERGE)
    encode_global(root / "model", root / "store", corpus[0], root / "globals", GLOBAL)
    encode_spans(root / "model", root / "store", root / "spans", SPANS)
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
    writer = LayerWriter()
    ids = [[5, 40, 3, 50 + n, 6] for n in range(4)]
    views = [View(ids[0], 0, 1), View(ids[1], 2, 2), View(ids[2], 3, 6), View(ids[3], 0, 0)]
    vectors = np.array([[0.0] * 32, [1.0] * 32, [9.0] * 32, [0.0] * 32], dtype=np.float32)
    writer.add("alder", [1, 1, 1, 4], views, vectors)
    writer.write(tmp_path / "store", 0)
    merge_store(folders / "model", tmp_path / "store", tmp_path / "merged", {**MERGE, "layers": 1})
    layer = ViewStore(tmp_path / "merged").layer(1).world("alder")
    assert (layer.entities.tolist(), layer.first.tolist(), layer.last.tolist()) == ([1], [2], [6])


def test_merging_among_all_pairs(folders, model, tmp_path):
    merge_store(folders / "model", folders / "store", tmp_path, {**MERGE, "among": "all"})
    base = ViewStore(folders / "store").layer(0).world("alder")
    ids = base.ids.to_pylist()
    layers = [ViewStore(tmp_path).layer(number).world("alder") for number in (1, 2)]
    for entity in np.unique(base.entities):
        own = np.flatnonzero(base.entities == entity)
        count = int(len(own) * 0.4)
        for layer in layers:
            assert (layer.entities == entity).sum() == count
        for row in np.flatnonzero(layers[0].entities == entity):
            pair = own[[layers[0].first[row], layers[0].last[row]]]
            expected = merged_view([ids[n] for n in pair], model.pieces.markers, 64)
            assert layers[0].ids[row].as_py() == expected
    assert read_json(tmp_path / "manifest.json")["settings"]["among"] == "all"


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


def test_every_span_of_entities_with_few_views(folders, model):
    base = ViewStore(folders / "store").layer(0).world("birch")
    spans = ViewStore(folders / "spans").layer(1).world("birch")
    ids = base.ids.to_pylist()
    counts = np.bincount(base.entities)
    expected = [
        (entity, first, last)
        for entity, count in enumerate(counts)
        if count <= 3
        for first in range(count)
        for last in range(first + 1, count)
    ]
    found = [column.tolist() for column in (spans.entities, spans.first, spans.last)]
    assert list(zip(*found, strict=True)) == expected and len(expected) > 3
    for row, (entity, first, last) in enumerate(expected):
        own = np.flatnonzero(base.entities == entity)
        parts = [ids[own[n]] for n in range(first, last + 1)]
        assert spans.ids[row].as_py() == merged_view(parts, model.pieces.markers, 64)
    row_vector = vector(model, spans.ids[0].as_py())
    np.testing.assert_allclose(spans.vectors[0], row_vector, rtol=0, atol=1e-5)
    manifest = read_json(folders / "spans" / "manifest.json")
    assert manifest["entities"] == 24 and manifest["worlds"]["birch"]["spans"] == len(expected)
    assert manifest["worlds"]["birch"]["exhaustive"] == (counts <= 3).sum()
    assert manifest["exhaustive"] == sum(w["exhaustive"] for w in manifest["worlds"].values())


def test_no_entity_has_few_enough_views(folders, tmp_path):
    encode_spans(folders / "model", folders / "store", tmp_path, {**SPANS, "max_views": 0})
    assert len(ViewStore(tmp_path).layer(1).world("alder").entities) == 0
    assert read_json(tmp_path / "manifest.json")["exhaustive"] == 0


@pytest.mark.parametrize("folder", ["merged", "globals", "spans"])
def test_further_views_name_their_store(folders, folder):
    manifest = read_json(folders / folder / "manifest.json")
    assert manifest["inputs"] == {"store": sha256_of(folders / "store" / "layer0.npy")}


def test_entities_of_another_run(folders, corpus, tmp_path):
    pq.write_table(pq.read_table(corpus[0]).slice(1), tmp_path / "entities.parquet")
    with pytest.raises(InputError, match="has 12 entities and .* 11 of world 'alder'"):
        encode_global(
            folders / "model", folders / "store", tmp_path / "entities.parquet", tmp_path, GLOBAL
        )


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"pairs": "near"}, "pairs is 'near', expected distant or close"),
        ({"among": "some"}, "among is 'some', expected neighbours or all"),
        ({"layer": 3}, "unknown key 'layer'. Did you mean 'layers'"),
    ],
)
def test_settings_of_merging(folders, tmp_path, changed, words):
    with pytest.raises(InputError, match=words):
        merge_store(folders / "model", folders / "store", tmp_path, {**MERGE, **changed})


def test_token_vectors_are_not_stored(encoder, corpus, tmp_path):
    tiny.make_model(encoder, "sum_max").save_pretrained(tmp_path / "model")
    with pytest.raises(InputError, match="compares token vectors.*retrieve --model"):
        encode_split(tmp_path / "model", *corpus, tmp_path / "store", {**tiny.COMPUTE})


def test_a_validation_store(folders, corpus, tmp_path):
    encode_split(folders / "model", *corpus, tmp_path, {"split": "val", **tiny.COMPUTE})
    assert ViewStore(tmp_path).layer(0).worlds == ["cedar"]
    assert np.load(tmp_path / "mentions.npy").shape == (12, 32)


def test_the_commands_are_the_functions(folders, corpus, tmp_path):
    for command, module, settings, more in (
        ("globals", encode_global_command, GLOBAL, ["--entities", str(corpus[0])]),
        ("spans", encode_spans_command, SPANS, []),
    ):
        parser = argparse.ArgumentParser()
        module.add_arguments(parser)
        options = ["--settings", json.dumps(settings), "--model", str(folders / "model")]
        options += ["--store", str(folders / "store"), "--out", str(tmp_path / command)]
        module.run(parser.parse_args([*options, *more]))
        for path in (folders / command).iterdir():
            assert (tmp_path / command / path.name).read_bytes() == path.read_bytes(), path


def test_a_repeat_gives_the_same_bytes(folders, corpus, tmp_path):
    encode_split(folders / "model", *corpus, tmp_path / "store", {"split": "train", **tiny.COMPUTE})
    store = tmp_path / "store"
    merge_store(folders / "model", store, tmp_path / "merged", MERGE)
    encode_global(folders / "model", store, corpus[0], tmp_path / "globals", GLOBAL)
    encode_spans(folders / "model", store, tmp_path / "spans", SPANS)
    for folder in ("store", "merged", "globals", "spans"):
        for path in (folders / folder).iterdir():
            assert (tmp_path / folder / path.name).read_bytes() == path.read_bytes(), path


def test_views_longer_than_the_encoder_s_positions(folders, corpus, tmp_path):
    places, out, longer = (
        (folders / "model", folders / "store"),
        tmp_path / "out",
        {"max_tokens": 65},
    )
    for setting, stage in (
        ("merge", lambda: merge_store(*places, out, {**MERGE, **longer})),
        ("global_view", lambda: encode_global(*places, corpus[0], out, {**GLOBAL, **longer})),
        ("spans", lambda: encode_spans(*places, out, {**SPANS, **longer})),
    ):
        with pytest.raises(InputError, match=f"{setting}.max_tokens is 65, but .* 64 positions"):
            stage()
    assert not out.exists()
