"""Exact ranking against a reference that walks down the sorted views, as the released system."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.retriever.retrieval.aggregates import MAX, LogMeanExp, SoftmaxSum
from muver.retriever.retrieval.exact import exactly, rank, rank_shards, similarity, slack
from muver.retriever.vectors.shards import Shards, ViewBlock, first_with_same
from tests.retriever.vectors.made import owners, write_shards

EVERY = [MAX, SoftmaxSum(), LogMeanExp(temperature=0.5)]


def walk(products, titles, k, aggregate, softmax_candidates):
    """One mention's ranked titles, all that are found: ``[(title, score)]``.

    Views go down by score; of equal scores the one whose title stands first in the world comes
    first, as our ties go. The walk for sums ends with the first view of the last title to find.
    """
    first = {}
    for number, title in enumerate(titles):
        first.setdefault(title, number)
    order = sorted(range(len(titles)), key=lambda v: (-products[v], first[titles[v]]))
    if aggregate == "max":
        best = {}
        for view in order:
            best.setdefault(titles[view], float(products[view]))
        return list(best.items())
    exponents = np.exp(products.astype(np.float64) - products.max())
    probabilities = exponents / exponents.sum()
    wanted = min(max(softmax_candidates, k), len(first))
    found = []
    for view in order:
        if titles[view] not in found:
            found.append(titles[view])
        if len(found) == wanted:
            break
    last = max(products[v] for v in range(len(titles)) if titles[v] == found[-1])
    # Views that tie with the end of the walk may stand on either side of it: ours are counted.
    sums = {title: 0.0 for title in found}
    for view in range(len(titles)):
        if titles[view] in sums and products[view] >= last:
            sums[titles[view]] += probabilities[view]
    return sorted(sums.items(), key=lambda item: (-item[1], first[item[0]]))


@st.composite
def worlds(draw):
    """Small whole numbers, so that equal scores are common; titles that several entities have."""
    entities = draw(st.integers(1, 8))
    titles = draw(st.lists(st.sampled_from("abcdef"), min_size=entities, max_size=entities))
    owners = sorted(range(entities)) + draw(
        st.lists(st.integers(0, entities - 1), max_size=12)
    )  # every entity has a view; merged views come after all of them, as in stacked layers
    numbers = st.integers(-2, 2)
    vectors = draw(
        st.lists(st.tuples(numbers, numbers), min_size=len(owners), max_size=len(owners))
    )
    mentions = draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5))
    return (
        titles,
        np.array(owners, dtype=np.int32),
        np.array(vectors, dtype=np.float32),
        np.array(mentions, dtype=np.float32),
    )


@given(
    worlds(),
    st.integers(1, 10),
    st.sampled_from(["max", "softmax_sum"]),
    st.integers(1, 8),
    st.booleans(),
    st.sampled_from(["dot", "l2"]),
)
def test_rank_equals_the_walk(world, k, aggregate, softmax_candidates, by_title, metric):
    titles, owners, vectors, mentions = world
    if not by_title:
        titles = [str(number) for number in range(len(titles))]
    candidate_of = first_with_same(titles)
    index = ViewBlock.of([vectors], owners, candidate_of)
    scorer = MAX if aggregate == "max" else SoftmaxSum(softmax_candidates=softmax_candidates)
    found = rank(mentions, [index], k, scorer, metric=metric)
    for row, mention in enumerate(mentions):
        products = vectors @ mention
        if metric == "l2":
            products = -np.sqrt(((vectors - mention) ** 2).sum(axis=1))
        own = [titles[owner] for owner in owners]
        everything = walk(products, own, k, aggregate, softmax_candidates)
        expected = everything[:k]
        entities = found.entities[row][found.entities[row] >= 0]
        assert len(entities) == len(expected)
        scores = found.scores[row][: len(expected)]
        np.testing.assert_allclose(scores, [score for _, score in expected], rtol=1e-6)
        # Sums that are equal in exact arithmetic may differ in the last digit: order by score.
        ranked = [titles[entity] for entity in entities]
        if aggregate == "max":
            assert ranked == [title for title, _ in expected]
        else:
            assert len(set(ranked)) == len(ranked)
            sums = dict(everything)
            np.testing.assert_allclose([sums[title] for title in ranked], scores, rtol=1e-6)
        assert (found.entities[row][len(expected) :] == -1).all()
        assert (found.scores[row][len(expected) :] == -np.inf).all()
        for entity, view in zip(entities, found.rows[row], strict=False):
            # The winner: the candidate's best view, the first of equal ones in the store.
            same = [v for v in range(len(owners)) if titles[owners[v]] == titles[entity]]
            best = max(products[v] for v in same)
            assert products[view] == best and owners[view] == entity
            assert view == min(v for v in same if products[v] == best)


@given(worlds(), st.integers(1, 5), st.sampled_from(EVERY), st.sampled_from(["dot", "l2"]))
def test_memory_changes_nothing(world, k, aggregate, metric):
    titles, owners, vectors, mentions = world
    index = ViewBlock.of([vectors], owners, first_with_same(titles))
    whole = rank(mentions, [index], k, aggregate, metric=metric)
    tiny = rank(mentions, [index], k, aggregate, memory_mb=0, metric=metric)
    for one, other in zip(whole, tiny, strict=True):
        np.testing.assert_array_equal(one, other)


def test_distances_need_no_block_of_differences():
    """1000 mentions x 500 views x 256 numbers would be 512 MB."""
    random = np.random.default_rng(1)
    mentions = random.normal(size=(1000, 256)).astype(np.float32)
    views = random.normal(size=(500, 256)).astype(np.float32)
    index = ViewBlock.of([views], np.arange(500), np.arange(500))
    rank(mentions[:2], [index], 5, memory_mb=1, metric="l2")
    tracemalloc.start()
    found = rank(mentions, [index], 5, memory_mb=1, metric="l2")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * 2**20  # the block of scores, and what sorting it needs
    distances = np.linalg.norm(views - mentions[7], axis=1)
    assert found.entities[7].tolist() == np.argsort(distances)[:5].tolist()


def test_softmax_sum_by_hand():
    # Entity 0 has the best view; entity 1 two views just below it, which outweigh it together.
    vectors = np.log(np.array([[5], [4], [4], [1], [2]], dtype=np.float32))
    index = ViewBlock.of([vectors], np.array([0, 1, 1, 2, 2]), np.arange(3))
    found = rank(np.ones((1, 1), dtype=np.float32), [index], 3, SoftmaxSum())
    assert found.entities.tolist() == [[1, 0, 2]]
    # Entity 2's second view, below the best of the last candidate, is not counted.
    np.testing.assert_allclose(found.scores[0], [8 / 16, 5 / 16, 2 / 16], rtol=1e-6)
    assert found.rows[0].tolist() == [1, 0, 4]


def test_great_scores_do_not_overflow():
    vectors = np.array([[900.0], [890.0], [100.0]], dtype=np.float32)
    index = ViewBlock.of([vectors], np.arange(3), np.arange(3))
    found = rank(np.ones((1, 1), dtype=np.float32), [index], 3, SoftmaxSum())
    assert found.entities.tolist() == [[0, 1, 2]]
    assert found.scores[0, 0] == pytest.approx(1 / (1 + np.exp(-10.0)))


def test_views_in_candidate_order_stay_on_disk(tmp_path):
    np.save(tmp_path / "v.npy", np.zeros((3, 2), dtype=np.float32))
    vectors = np.load(tmp_path / "v.npy", mmap_mode="r")
    assert ViewBlock.of([vectors], np.array([0, 0, 1]), np.arange(2)).vectors is vectors
    assert ViewBlock.of([vectors], np.array([1, 0, 0]), np.arange(2)).rows.tolist() == [1, 2, 0]


def test_parts_are_as_if_under_each_other():
    vectors = np.arange(12, dtype=np.float32).reshape(6, 2)
    entities, candidate_of = np.array([0, 1, 2, 0, 2, 1]), np.array([0, 1, 0])
    together = ViewBlock.of([vectors], entities, candidate_of)
    in_parts = ViewBlock.of([vectors[:3], vectors[3:3], vectors[3:]], entities, candidate_of)
    assert together.rows.tolist() == [0, 2, 3, 4, 1, 5]
    assert together.vectors.tolist() == vectors[together.rows].tolist()
    assert together.counts.tolist() == [4, 2]
    for name in ("vectors", "rows", "starts", "owners"):
        assert np.array_equal(getattr(together, name), getattr(in_parts, name)), name


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


NUMBERS = st.tuples(st.integers(-2, 2), st.integers(-2, 2))


@settings(deadline=None, max_examples=20)  # files are written
@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(1, 14), st.data())
def test_equal_to_ranking_in_memory(tmp_path_factory, counts, k, data):
    """Also where scores are equal, across blocks and parts: small whole numbers."""
    cut = data.draw(st.integers(0, len(counts) - 1))
    sizes = [cut, len(counts) - cut] if cut else [len(counts)]
    counts = np.array(counts)
    total = int(counts.sum())
    vectors = np.array(data.draw(st.lists(NUMBERS, min_size=total, max_size=total)), np.float32)
    mentions = np.array(data.draw(st.lists(NUMBERS, min_size=1, max_size=4)), np.float32)
    shards = Shards(write_shards(tmp_path_factory.mktemp("s"), vectors, counts, sizes))
    found = rank_shards(shards, mentions, k, 0)
    world = ViewBlock.of([vectors], owners(counts), np.arange(len(counts)))
    expected = rank(mentions, [world], k)
    assert np.array_equal(found.entities, expected.entities)
    assert np.array_equal(found.scores, expected.scores)
    assert np.array_equal(found.rows, expected.rows)


@pytest.mark.parametrize("aggregate, tolerance", [(MAX, 1e-5), (LogMeanExp(temperature=0.3), 1e-4)])
def test_equal_on_vectors_of_all_norms(made, aggregate, tolerance):
    mentions = made.mentions[:3]
    world = ViewBlock.of([made.vectors], owners(made.counts), np.arange(600))
    expected = rank(mentions, [world], 20, aggregate)
    # A block of an entity and a mention each, and all at once; a thread for each mention of some
    for memory, threads in ((0, 1), (64, 1), (0, 2), (64, 70)):
        found = rank_shards(made.shards, mentions, 20, memory, aggregate, threads)
        assert np.array_equal(found.entities, expected.entities)
        np.testing.assert_allclose(found.scores, expected.scores, rtol=tolerance, atol=tolerance)
        assert np.array_equal(found.rows, expected.rows)


def test_views_in_half_precision(tmp_path):
    vectors = np.array([[1, 0], [0, 1], [0, 3]], np.float32)
    counts = np.array([1, 2])
    shards = Shards(write_shards(tmp_path, vectors, counts, [2], np.float16))
    found = rank_shards(shards, np.array([[2, 1]], np.float32), 3)
    assert found.entities.tolist() == [[1, 0, -1]]
    assert found.rows.tolist() == [[2, 0, -1]]
    assert found.scores.tolist() == [[3, 2, -np.inf]]


def test_what_a_thread_raises_is_raised(made):
    """So is what reading the views ahead raises."""
    with pytest.raises(ValueError, match="matmul"):
        rank_shards(made.shards, made.mentions[:, :3], 5, threads=2)
