"""No similarity is further off than the slack, and slack is little where vectors are apart."""

import numpy as np
import pytest

from muver.retriever.retrieval.exact import exactly, similarity, slack


@pytest.mark.parametrize("metric", ["dot", "l2"])
@pytest.mark.parametrize("apart", [1e-4, 1.0, 100.0])
def test_slack_covers_what_products_are_off(metric, apart):
    chance = np.random.default_rng(1)
    vectors = chance.normal(size=(400, 256)).astype(np.float32) * 3
    mentions = vectors[:20] + np.float32(apart) * chance.normal(size=(20, 256)).astype(np.float32)
    fast, sure = similarity(mentions, vectors, metric), exactly(vectors, mentions, metric)
    length = float(np.linalg.norm(vectors, axis=1).max())
    room = slack(mentions, length, metric, fast.max(axis=1))
    assert (2 * np.abs(fast - sure).max(axis=1) <= room).all()
    if metric == "l2":  # without a look at the similarities it is the root of a square's
        assert (room <= slack(mentions, length, metric)).all()
        assert apart < 1 or (10 * room < slack(mentions, length, metric)).all()
