"""From texts to views, by a vocabulary in which every word is a piece."""

import pytest

from muver.io.errors import InputError
from muver.views import build
from muver.views.build import entity_views, mention_contexts, prompted_titles
from muver.views.layout import Markers

MARKERS = Markers(pad=0, cls=101, sep=102, mention_start=1, mention_end=2, title_end=3)
SENTENCES = {"kind": "sentences", "max_tokens": 8, "min_pieces": 2, "title_room": 2}


class Words:
    """Numbers written as words are their own ids; counts how often it is asked."""

    markers = MARKERS

    def __init__(self):
        self.asked = 0

    def ids(self, texts):
        self.asked += 1
        return [[int(word) for word in text.split()] for text in texts]


def test_sentence_views_keep_the_entities_apart():
    views = list(
        entity_views(
            ["500", "600"],
            ["unused", "unused"],
            [["11 12", "13", "14 15"], ["21 22 23"]],
            SENTENCES,
            Words(),
        )
    )
    assert [[tuple(view) for view in some] for some in views] == [
        [([101, 500, 3, 11, 12, 102], 0, 0), ([101, 500, 3, 13, 14, 15, 102], 1, 2)],
        [([101, 600, 3, 21, 22, 23, 102], 0, 0)],
    ]


def test_prefix_and_tokens_give_one_view_of_the_whole_text():
    for kind in ("prefix", "tokens"):
        views = list(
            entity_views(
                ["500", "600"],
                ["11 12 13 14 15 16", ""],
                [["11 12 13", "14 15 16"], []],
                {"kind": kind, "max_tokens": 8},
                Words(),
            )
        )
        assert [[tuple(view) for view in some] for some in views] == [
            [([101, 500, 3, 11, 12, 13, 14, 102], 0, 1)],
            [([101, 600, 3, 102], -1, -1)],
        ]


def test_types_stand_before_the_text_where_they_are_asked_for():
    def ids(known, **settings):
        settings = {"kind": "prefix", "max_tokens": 8, **settings}
        texts, some = ["11 12 13 14 15", "21", "31"], [["11"], ["21"], ["31"]]
        views = entity_views(["500", "600", "700"], texts, some, settings, Words(), known)
        return [view.ids for (view,) in views]

    types = ["91 92", None, ""]
    plain = [[101, 500, 3, 11, 12, 13, 14, 102], [101, 600, 3, 21, 102], [101, 700, 3, 31, 102]]
    assert ids(types, types=True) == [[101, 500, 3, 91, 92, 11, 12, 102], *plain[1:]]
    assert ids([None] * 3, types=True) == ids(None, types=True) == plain
    assert ids(types, types=False) == ids(types) == plain


def test_an_entity_without_sentences_has_a_view_of_its_title():
    ((only,),) = entity_views(["500"], [""], [[]], SENTENCES, Words())
    assert tuple(only) == ([101, 500, 3, 102], -1, -1)


def test_texts_go_to_the_tokenizer_in_batches(monkeypatch):
    monkeypatch.setattr(build, "BATCH", 3)
    words = Words()
    titles = [str(500 + n) for n in range(7)]
    sentences = [[f"{n} {n}"] * (n % 3) for n in range(7)]
    views = list(entity_views(titles, [""] * 7, sentences, SENTENCES, words))
    assert words.asked == 3 * 2
    assert [len(some) for some in views] == [1, 1, 2, 1, 1, 2, 1]
    assert views[5][0].ids == [101, 505, 3, 5, 5, 102]


def test_a_prompt_goes_before_the_title_and_before_the_context():
    settings = {**SENTENCES, "max_tokens": 10, "prompt": "7 8"}
    ((view,),) = entity_views(["500"], [""], [["11 12 13 14 15 16"]], settings, Words())
    assert view.ids == [101, 7, 8, 500, 3, 11, 12, 13, 14, 102]
    assert prompted_titles(["500", "600 601"], settings, Words()) == [[7, 8, 500], [7, 8, 600, 601]]
    left, right = "20 21 22 23 24", "40 41 42 43 44"
    sides = ([left], ["30"], [right], {"max_tokens": 12}, Words())
    assert mention_contexts(*sides) == [[101, 22, 23, 24, 1, 30, 2, 40, 41, 42, 43, 102]]
    sides[3]["prompt"] = "7 8"  # the room of both sides is smaller by its pieces
    assert mention_contexts(*sides) == [[101, 7, 8, 23, 24, 1, 30, 2, 40, 41, 42, 102]]


def test_a_prompt_without_room_for_a_text():
    settings = {"max_tokens": 10, "prompt": "7 8 9"}
    with pytest.raises(InputError, match="prompt '7 8 9' has 3 pieces, .* max_tokens 10"):
        mention_contexts(["1"], ["2"], ["3"], settings, Words())
