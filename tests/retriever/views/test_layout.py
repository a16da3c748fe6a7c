"""Token layouts, by hand and by property."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.views.layout import (
    View,
    context,
    merged_view,
    prefix_view,
    retitled,
    sentence_views,
)
from tests.tiny import MARKERS

CLS, SEP, START, END, ENT = *MARKERS.bos, *MARKERS.eos, *MARKERS.of_layouts
LEFT = list(range(1000, 1200))
RIGHT = list(range(2000, 2200))
MENTION = [500, 501]

pieces = st.lists(st.integers(1000, 1020), max_size=60)


@pytest.mark.parametrize(
    "left, right, expected_left, expected_right",
    [
        # Max 12, M = 4: left room 12 // 2 - 2 - 1 = 3, right room 12 - 4 - 3 - 2 = 3.
        (LEFT, RIGHT, LEFT[-3:], RIGHT[:3]),
        (LEFT[:1], RIGHT, LEFT[:1], RIGHT[:5]),  # the left side's 2 unused places go right
        (LEFT, RIGHT[:1], LEFT[-5:], RIGHT[:1]),
        ([], RIGHT, [], RIGHT[:6]),
        (LEFT, [], LEFT[-6:], []),
        (LEFT[:2], RIGHT[:2], LEFT[:2], RIGHT[:2]),
        (LEFT[:3], RIGHT[:3], LEFT[:3], RIGHT[:3]),
        ([], [], [], []),
    ],
)
def test_context_shares_its_room(left, right, expected_left, expected_right):
    ids = context(left, MENTION, right, MARKERS, 12)
    assert ids == [CLS, *expected_left, START, *MENTION, END, *expected_right, SEP]


def test_context_of_an_empty_mention_has_no_markers():
    # left 12 // 2 - 1 = 5, right 12 - 5 - 2 = 5
    assert context(LEFT, [], RIGHT, MARKERS, 12) == [CLS, *LEFT[-5:], *RIGHT[:5], SEP]


@pytest.mark.parametrize(
    "length, left, right",
    [
        (1, 61, 62),  # M = 3: left (128 - 3) // 2 - 1 = 61, right 128 - 3 - 61 - 2 = 62
        (121, 1, 2),  # M = 123: left 5 // 2 - 1 = 1, right 128 - 123 - 1 - 2 = 2
        (122, 1, 1),
        (123, 0, 1),  # no room on the left: the released code takes all of the left side here
        (124, 0, 0),
    ],
)
def test_context_by_the_length_of_the_mention(length, left, right):
    mention = [500] * length
    ids = context(LEFT, mention, RIGHT, MARKERS, 128)
    assert ids == [CLS, *LEFT[200 - left :], START, *mention, END, *RIGHT[:right], SEP]


def test_a_mention_too_long_is_cut_and_keeps_its_markers():
    ids = context(LEFT, list(range(300)), RIGHT, MARKERS, 128)
    assert ids == [CLS, START, *range(124), END, SEP]


@given(pieces, pieces, pieces, st.integers(8, 128))
def test_any_context_fits(left, mention, right, limit):
    ids = context(left, mention, right, MARKERS, limit)
    assert len(ids) <= limit
    assert ids[0] == CLS and ids[-1] == SEP and ids.count(SEP) == 1
    if not mention:
        assert START not in ids and END not in ids
        return
    start, end = ids.index(START), ids.index(END)
    assert ids[start + 1 : end] == mention[: limit - 4]
    assert left[len(left) - (start - 1) :] == ids[1:start]
    assert right[: len(ids) - end - 2] == ids[end + 1 : -1]
    if len(left) + len(mention) + len(right) + 4 > limit:
        assert len(ids) == limit  # no place is wasted while there is text for it


def test_prefix_view():
    assert prefix_view([5, 6], [7, 8, 9], MARKERS, 128) == [CLS, 5, 6, ENT, 7, 8, 9, SEP]
    assert prefix_view([5, 6], [7, 8, 9], MARKERS, 6) == [CLS, 5, 6, ENT, 7, SEP]
    assert prefix_view([5, 6], [], MARKERS, 6) == [CLS, 5, 6, ENT, SEP]
    assert prefix_view([5, 6, 7, 8, 9], [1], MARKERS, 6) == [CLS, 5, 6, 7, 8, SEP]


def view(first: int, last: int, *text: int) -> View:
    return View([CLS, 5, ENT, *text, SEP], first, last)


@pytest.mark.parametrize(
    "sentences, views",
    [
        # short sentences join the next
        (
            [[11] * 6, [12] * 5, [13], [14] * 3, [15] * 7],
            [view(0, 0, *[11] * 6), view(1, 2, *[12] * 5, 13), view(3, 4, *[14] * 3, *[15] * 7)],
        ),
        ([[11] * 6, [12] * 5], [view(0, 0, *[11] * 6)]),  # a short rest is dropped
        ([[11] * 2, [12] * 3], [view(0, 1, 11, 11, 12, 12, 12)]),  # too little text: one view
        *((empty, [view(-1, -1)]) for empty in ([], [[]], [[], []])),  # the title alone
        ([[], [11] * 6], [view(1, 1, *[11] * 6)]),  # empty sentences start no view
        # 40 places: [CLS], title, [ENT], 36 of text, [SEP]
        ([[*range(1000, 1050)], [12] * 6], [view(0, 0, *range(1000, 1036)), view(1, 1, *[12] * 6)]),
    ],
)
def test_views_of_sentences(sentences, views):
    assert sentence_views([5], sentences, MARKERS) == views


@pytest.mark.parametrize("length", [36, 37, 38, 60])
def test_a_title_that_fills_the_view_as_released(length):
    title = list(range(500, 500 + length))
    views = sentence_views(title, [[11] * 6, [12] * 6], MARKERS, title_room=0)
    assert [v.ids for v in views] == [
        [CLS, *[*title, ENT, *text][:38], SEP] for text in ([11] * 6, [12] * 6)
    ]
    assert (views[0].ids == views[1].ids) == (length >= 37)


@pytest.mark.parametrize("length, kept", [(36, 36), (37, 31), (38, 31), (60, 31)])
def test_a_title_that_fills_the_view_is_cut_for_text(length, kept):
    title = list(range(500, 500 + length))
    views = sentence_views(title, [[11] * 6, list(range(1000, 1020))], MARKERS, title_room=6)
    room = 37 - kept
    assert [v.ids for v in views] == [
        [CLS, *title[:kept], ENT, *text[:room], SEP] for text in ([11] * 6, range(1000, 1020))
    ]


@given(
    pieces,
    st.lists(pieces, max_size=12),
    st.integers(8, 64),
    st.integers(1, 10),
    st.integers(0, 10),
)
def test_any_sentence_views(title, sentences, limit, least, room):
    views = sentence_views(title, sentences, MARKERS, limit, least, room)
    assert views
    for ids, _, _ in views:
        assert len(ids) <= limit
        assert ids[0] == CLS and ids[-1] == SEP and ids.count(SEP) == 1
        if room:
            assert ENT in ids
    spans = [(v.first, v.last) for v in views]
    if spans != [(-1, -1)]:
        assert all(0 <= first <= last < len(sentences) for first, last in spans)
        assert all(a[1] < b[0] for a, b in zip(spans, spans[1:], strict=False))


def test_merged_view_has_one_title_and_one_end():
    views = [view(0, 0, 11, 12).ids, view(1, 1, 21).ids, view(2, 2, 31, 32).ids]
    assert merged_view(views, MARKERS) == [CLS, 5, ENT, 11, 12, 21, 31, 32, SEP]
    assert merged_view(views[1:2], MARKERS) == views[1]


def test_merged_view_is_cut():
    views = [view(0, 0, *[11] * 300).ids, view(1, 1, *[21] * 300).ids]
    ids = merged_view(views, MARKERS)
    assert ids == [CLS, 5, ENT, *[11] * 300, *[21] * 208, SEP] and len(ids) == 512
    assert merged_view(views, MARKERS, 8) == [CLS, 5, ENT, *[11] * 4, SEP]


def test_merged_view_stops_at_pieces_that_mean_an_end():
    # Texts may spell out [SEP] or [PAD]: as released, a view ends at the first of them, the first
    # view only at [SEP].
    views = [view(0, 0, 11, 0, 12).ids, view(1, 1, 21, SEP, 22).ids, view(2, 2, 31, 0, 32).ids]
    assert merged_view(views, MARKERS) == [CLS, 5, ENT, 11, 0, 12, 21, 31, SEP]


def test_merging_views_that_hold_nothing_but_their_title():
    views = [v.ids for v in sentence_views([5] * 50, [[11] * 6] * 3, MARKERS, title_room=0)]
    assert merged_view(views, MARKERS) == views[0]


@given(pieces, st.lists(pieces, max_size=6), st.integers(8, 40), st.integers(1, 8))
def test_views_that_are_split_read_each_piece_once(title, sentences, most, least):
    views = sentence_views(title, sentences, MARKERS, most, least, 0, split=True)
    read = [piece for view in views for piece in view.ids[view.ids.index(ENT) + 1 : -1]]
    assert read == [piece for sentence in sentences for piece in sentence]
    assert all(len(view.ids) <= most for view in views)
    for view in views:
        within = [piece for one in sentences[max(view.first, 0) : view.last + 1] for piece in one]
        assert set(view.ids[view.ids.index(ENT) + 1 : -1]) <= set(within)


def test_a_view_under_another_title():
    view = View([CLS, 9, ENT, *range(20, 30), SEP], 0, 1)
    assert retitled(view, [7, 8], MARKERS, 12) == View([CLS, 7, 8, ENT, *range(20, 27), SEP], 0, 1)
    long = retitled(view, [7] * 50, MARKERS, 12)
    assert long.ids == [CLS, *[7] * 6, ENT, 20, 21, 22, SEP]
    assert retitled(View([CLS, *[9] * 9, SEP], -1, -1), [7], MARKERS, 12).ids == [CLS, 7, ENT, SEP]
