"""Token vectors: scores and ranking against plain loops."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from muver.encoders.bulk import pad
from muver.retrieval.exact import first_with_same, rank_scores
from muver.retrieval.tokens import score_world
from tests import tiny

CPU = torch.device("cpu")


def test_score_world_equals_pair_by_pair(encoder):
    model = tiny.make_model(encoder, "sum_max")
    random = np.random.default_rng(2)
    contexts, entities = (
        [[5, *random.integers(8, 60, n).tolist(), 6] for n in lengths]
        for lengths in ((4, 9, 1, 6), (7, 2, 12, 3, 5))
    )
    encoders = (model.encode_mentions, model.encode_views)
    found = score_world(*encoders, contexts, entities, 30, CPU)
    assert found.shape == (4, 5) and found.dtype == np.float32
    with torch.no_grad():
        for i, context in enumerate(contexts):
            mention = model.encode_mentions(*pad([context]))[0]
            for j, entity in enumerate(entities):
                view = model.encode_views(*pad([entity]))[0]
                expected = (mention @ view.T).max(dim=1).values.sum().item()
                np.testing.assert_allclose(found[i, j], expected, rtol=1e-5)


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=7),
    st.integers(1, 9),
    st.data(),
)
def test_rank_scores(titles, k, data):
    row = st.lists(st.integers(-2, 2), min_size=len(titles), max_size=len(titles))
    scores = np.array(data.draw(st.lists(row, min_size=1, max_size=3)), dtype=np.float32)
    found = rank_scores(scores, first_with_same(titles), k)
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
