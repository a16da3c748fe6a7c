"""Token vectors: scores and ranking against plain loops."""

import tempfile

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.encoders.bulk import pack
from muver.retriever.encoders.scores import sum_of_max
from muver.retriever.retrieval import tokens
from muver.retriever.retrieval.exact import rank_scores
from muver.retriever.retrieval.tokens import score_world
from muver.retriever.vectors.shards import first_with_same
from tests import tiny

RANDOM = np.random.default_rng(2)
CONTEXTS, ENTITIES = (
    [[5, *RANDOM.integers(8, 60, n).tolist(), 6] for n in lengths]
    for lengths in ((4, 9, 1, 6, 9), (7, 2, 12, 3, 5, 12, 12))
)


def found_by(model, batch_tokens=40, **more):
    return score_world(model, CONTEXTS, ENTITIES, batch_tokens, **more)


def test_score_world_equals_pair_by_pair(encoder):
    model = tiny.make_model(encoder, "sum_max")
    found = found_by(model)
    assert found.shape == (5, 7) and found.dtype == np.float32
    with torch.no_grad():
        for i, context in enumerate(CONTEXTS):
            mention = model.encode_mentions(pack([context]))[0]
            for j, entity in enumerate(ENTITIES):
                view = model.encode_views(pack([entity]))[0]
                expected = (mention @ view.T).max(dim=1).values.sum().item()
                np.testing.assert_allclose(found[i, j], expected, rtol=1e-5)


def test_in_bf16_products_are_rounded_and_their_sums_are_not(encoder, monkeypatch):
    model = tiny.make_model(encoder, "sum_max")
    seen = []

    def watching(*vectors, rows):
        scores = sum_of_max(*vectors, rows=rows)
        seen.append((torch.get_float32_matmul_precision(), scores.dtype))
        return scores

    monkeypatch.setattr(tokens, "sum_of_max", watching)
    exact = found_by(model)
    assert set(seen) == {("highest", torch.float32)}
    seen.clear()
    with torch.autocast("cpu", torch.bfloat16):
        rounded = found_by(model)
        assert torch.is_autocast_enabled("cpu")
    assert set(seen) == {("medium", torch.float32)}
    assert torch.get_float32_matmul_precision() == "highest"
    np.testing.assert_allclose(rounded, exact, rtol=0.02)


@pytest.mark.parametrize("padding", [False, True])
def test_memory_bounds_what_is_scored_at_a_time(encoder, monkeypatch, padding):
    model = tiny.make_model(encoder, "sum_max", padding=padding)
    sizes = []

    def watching(mentions, mention_mask, entities, entity_mask, rows):
        assert rows == tokens.IN_CACHE  # less is made at a time than may be
        products = mentions.shape[0] * mentions.shape[1] * entities.shape[0] * entities.shape[1]
        sizes.append(4 * (2 * products + mentions.numel() + entities.numel()))
        return sum_of_max(mentions, mention_mask, entities, entity_mask, rows)

    monkeypatch.setattr(tokens, "sum_of_max", watching)
    monkeypatch.setattr(tokens, "MEGABYTE", 1000)
    whole = found_by(model, 1000, memory_mb=10**6)
    greatest = max(sizes)
    for memory_mb in (40, 15):
        sizes.clear()
        found = found_by(model, 1000, memory_mb=memory_mb)
        np.testing.assert_allclose(found, whole, rtol=1e-5)
        assert max(sizes) <= memory_mb * 1000 < greatest
    sizes.clear()
    np.testing.assert_allclose(found_by(model, 1000, memory_mb=0), whole, rtol=1e-5)
    assert len(sizes) == 5 * 7  # one mention and one entity at least


def test_vectors_of_mentions_lie_on_disk_while_they_are_needed(encoder, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = []
    original = tokens._few_at_a_time

    def watching(batches, *rest):
        held.extend(batches)
        return original(batches, *rest)

    monkeypatch.setattr(tokens, "_few_at_a_time", watching)
    found_by(tiny.make_model(encoder, "sum_max"))
    assert held and all(isinstance(batch.vectors, np.memmap) for batch in held)
    assert list(tmp_path.iterdir()) == []


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=7),
    st.integers(1, 9),
    st.sampled_from([0, 256]),
    st.data(),
)
def test_rank_scores(titles, k, memory_mb, data):
    row = st.lists(st.integers(-2, 2), min_size=len(titles), max_size=len(titles))
    scores = np.array(data.draw(st.lists(row, min_size=1, max_size=3)), dtype=np.float32)
    found = rank_scores(scores, first_with_same(titles), k, memory_mb)
    for number, own in enumerate(scores):
        best = {}
        for entity, title in enumerate(titles):
            if title not in best or own[entity] > own[best[title]]:
                best[title] = entity
        expected = sorted(best.values(), key=lambda e: (-own[e], titles.index(titles[e])))[:k]
        kept = len(expected)
        assert found.entities[number].tolist() == expected + [-1] * (k - kept)
        assert found.scores[number, :kept].tolist() == [own[e] for e in expected]
        assert (found.scores[number, kept:] == -np.inf).all()
        assert found.rows[number].tolist() == found.entities[number].tolist()
