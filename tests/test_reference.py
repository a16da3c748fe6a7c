"""Equality with the released system, by recordings of it.

Skipped unless MUVER_REFERENCE names the folder of recordings (one folder a world) and
MUVER_REFERENCE_ENCODER the encoder's directory that they were made with.
"""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch

from muver.encoders.biencoder import BiEncoder, ModelConfig
from muver.encoders.bulk import encode_vectors
from muver.encoders.start import from_directory
from muver.encoders.tokens import WordPieces
from muver.retrieval.exact import build_world, rank
from muver.views.expand import expand_world
from muver.views.layout import Ids, Markers, context, sentence_views

REFERENCE = os.environ.get("MUVER_REFERENCE")
ENCODER = os.environ.get("MUVER_REFERENCE_ENCODER")
needs_encoder = pytest.mark.skipif(not ENCODER, reason="MUVER_REFERENCE_ENCODER names no encoder")
pytestmark = pytest.mark.skipif(not REFERENCE, reason="MUVER_REFERENCE names no recordings")
WORLDS = sorted(p.parent for p in Path(REFERENCE or ".").glob("*/tokens.json.gz"))
BERT = Markers(pad=0, cls=101, sep=102, mention_start=1, mention_end=2, title_end=3)
LAYERS = {"plain": 0, "merge1": 1, "merge4": 4}


@pytest.fixture(params=WORLDS, ids=lambda folder: folder.name)
def world(request):
    return request.param


def recorded(folder: Path, name: str):
    with gzip.open(folder / f"{name}.json.gz") as file:
        return json.load(file)


@pytest.fixture(scope="module")
def pieces():
    return WordPieces(ENCODER)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("encoder")
    from_directory(Path(ENCODER), folder)
    views = {"kind": "sentences", "max_tokens": 40, "min_pieces": 6, "title_room": 0}
    config = ModelConfig(views=views, context={"max_tokens": 128}, score="max")
    return BiEncoder.from_encoder(folder, config).eval()


@needs_encoder
def test_contexts(world, pieces):
    mentions = recorded(world, "inputs")["mentions"]
    sides = [
        pieces.ids([m[name] for m in mentions])
        for name in ("context_left", "mention", "context_right")
    ]
    found = [context(*parts, pieces.markers, 128) for parts in zip(*sides, strict=True)]
    assert pieces.markers == BERT
    assert found == recorded(world, "tokens")["contexts"]


@needs_encoder
def test_views(world, pieces):
    for entity in recorded(world, "tokens")["entities"]:
        (title,) = pieces.ids([entity["title"]])
        assert title == entity["title_ids"]
        sentences = pieces.ids(entity["sentences"])
        found = sentence_views(title, sentences, BERT, title_room=0)
        assert [view.ids for view in found] == entity["views"]


def test_merged_views_from_the_recorded_vectors(world):
    """Ranges and ids of every layer; the encoder is a look-up in the recording."""
    entities = recorded(world, "tokens")["entities"]
    vectors = np.load(world / "vectors.npz")
    for entity, start in zip(entities, vectors["view_offset"], strict=True):
        count = len(entity["views"])
        waiting = iter(vectors["views"][start + count :])

        def encode(ids: list[Ids], waiting=waiting) -> np.ndarray:
            rows = [next(waiting) for _ in ids]
            return np.array(rows, dtype=np.float32).reshape(len(rows), 384)

        layers = expand_world(
            np.zeros(count, dtype=int),
            entity["views"],
            vectors["views"][start : start + count],
            encode,
            BERT,
            {"layers": 4, "top_k": 0.4, "pairs": "distant", "max_tokens": 512},
        )
        for layer, (found, expected) in enumerate(zip(layers, entity["merged"], strict=True)):
            ranges = [[view.first, view.last] for view in found.views]
            where = f"line {entity['line']}, layer {layer + 1}"
            assert ranges == [m["range"] for m in expected], where
            assert [view.ids for view in found.views] == [m["ids"] for m in expected], where
        totals = np.cumsum([count, *(len(layer.views) for layer in layers)])[1:]
        assert totals.tolist() == entity["n_total"]


@needs_encoder
def test_vectors(world, model):
    tokens, vectors = recorded(world, "tokens"), np.load(world / "vectors.npz")
    contexts = encode_vectors(model.encode_mentions, tokens["contexts"], 384, 4096)
    np.testing.assert_allclose(contexts, vectors["context"], rtol=0, atol=1e-4)
    pool = [
        ids
        for entity in tokens["entities"]
        for ids in (*entity["views"], *(m["ids"] for layer in entity["merged"] for m in layer))
    ]
    views = encode_vectors(model.encode_views, pool, 384, 4096)
    np.testing.assert_allclose(views, vectors["views"], rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize(
    "kind, aggregate, k", [("max", "max", 64), ("accumulate", "softmax_sum", 200)]
)
def test_rankings_from_the_recorded_scores(world, name, kind, aggregate, k):
    expected = recorded(world, "ranks")["ranks"][f"{name}/{kind}"]
    vectors = np.load(world / "vectors.npz")
    scores, owners = vectors[f"scores_{name}"], vectors[f"view_entity_{name}"]
    titles = [document["title"] for document in recorded(world, "inputs")["documents"]]
    first = [titles.index(title) for title in titles]
    # With mentions for axes the products are the recorded scores themselves.
    axes = np.eye(len(scores), dtype=np.float32)
    index = build_world(np.ascontiguousarray(scores.T), owners, np.array(first))
    found = rank(axes, index, k, aggregate, softmax_candidates=200)
    for mention, wanted in enumerate(expected):
        ours = [first[entity] for entity in found.entities[mention]]
        assert ours == [first[entity] for entity in wanted], mention
