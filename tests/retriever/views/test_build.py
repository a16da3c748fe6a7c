"""From texts to views, by a vocabulary in which every word is a piece."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from muver.io.errors import InputError
from muver.retriever.views import build
from muver.retriever.views.build import (
    beginnings,
    endings,
    entity_views,
    mention_contexts,
    prompted_titles,
)
from muver.retriever.views.views_settings import Context, Views
from tests.tiny import MARKERS

SENTENCES = Views(kind="sentences", max_tokens=8, min_pieces=2, title_room=2, training_views=None)


LETTERS = "ab\u03a3\u03c3\u0301\u4e2d.\x00\x1c\t\u00a0"
TEXTS = st.text(alphabet=f"{LETTERS}   ", max_size=24)


class Pieces:
    """BERT's own way from texts to pieces, of a few letters."""

    def __init__(self):
        letters = ["[UNK]", *"ab\u03c3\u4e2d.", *(f"##{letter}" for letter in "ab\u03c3")]
        known = {piece: number for number, piece in enumerate(letters)}
        self._tokenizer = Tokenizer(WordPiece(known, unk_token="[UNK]"))
        self._tokenizer.normalizer = BertNormalizer(lowercase=True)
        self._tokenizer.pre_tokenizer = BertPreTokenizer()

    def ids(self, texts, within=False):
        return [one.ids for one in self._tokenizer.encode_batch(texts, add_special_tokens=False)]


PIECES = Pieces()


class Words:
    """Numbers written as words are their own ids; counts how often it is asked."""

    markers = MARKERS

    def __init__(self):
        self.asked = 0

    def ids(self, texts, within=False):
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
    assert [[tuple(view) for view in of_entity] for of_entity in views] == [
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
                Views(kind=kind, max_tokens=8),
                Words(),
            )
        )
        assert [[tuple(view) for view in of_entity] for of_entity in views] == [
            [([101, 500, 3, 11, 12, 13, 14, 102], 0, 1)],
            [([101, 600, 3, 102], -1, -1)],
        ]


def test_types_stand_before_the_text_where_they_are_asked_for():
    def ids(known, **settings):
        settings = Views(kind="prefix", max_tokens=8, **settings)
        texts, sentences = ["11 12 13 14 15", "21", "31"], [["11"], ["21"], ["31"]]
        views = entity_views(["500", "600", "700"], texts, sentences, settings, Words(), known)
        return [view.ids for (view,) in views]

    types = ["91 92", None, ""]
    plain = [[101, 500, 3, 11, 12, 13, 14, 102], [101, 600, 3, 21, 102], [101, 700, 3, 31, 102]]
    assert ids(types, types=True) == [[101, 500, 3, 91, 92, 11, 12, 102], *plain[1:]]
    assert ids([None] * 3, types=True) == ids(None, types=True) == plain
    assert ids(types, types=False) == ids(types) == plain


def test_texts_go_to_the_tokenizer_in_batches(monkeypatch):
    monkeypatch.setattr(build, "BATCH", 3)
    words = Words()
    titles = [str(500 + n) for n in range(7)]
    sentences = [[f"{n} {n}"] * (n % 3) for n in range(7)]
    views = list(entity_views(titles, [""] * 7, sentences, SENTENCES, words))
    assert words.asked == 3 * 2
    assert [len(of_entity) for of_entity in views] == [1, 1, 2, 1, 1, 2, 1]
    assert views[5][0].ids == [101, 505, 3, 5, 5, 102]


def test_a_prompt_goes_before_the_title_and_before_the_context():
    settings = replace(SENTENCES, max_tokens=10, prompt="7 8")
    ((view,),) = entity_views(["500"], [""], [["11 12 13 14 15 16"]], settings, Words())
    assert view.ids == [101, 7, 8, 500, 3, 11, 12, 13, 14, 102]
    assert prompted_titles(["500", "600 601"], settings, Words()) == [[7, 8, 500], [7, 8, 600, 601]]
    left, right = "20 21 22 23 24", "40 41 42 43 44"
    sides, settings = ([left], ["30"], [right]), Context(max_tokens=12)
    plain = mention_contexts(*sides, settings, Words())
    assert plain == [[101, 22, 23, 24, 1, 30, 2, 40, 41, 42, 43, 102]]
    settings = replace(settings, prompt="7 8")  # the room of both sides is smaller by its pieces
    (prompted,) = mention_contexts(*sides, settings, Words())
    assert prompted == [101, 7, 8, 23, 24, 1, 30, 2, 40, 41, 42, 102]


def test_a_prompt_without_room_for_a_text():
    settings = Context(max_tokens=10, prompt="7 8 9")
    with pytest.raises(InputError, match="prompt '7 8 9' has 3 pieces, .* max_tokens 10"):
        mention_contexts(["1"], ["2"], ["3"], settings, Words())


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 6))
def test_cut_texts_have_the_pieces_of_whole_ones(texts, pieces):
    """Also where a word has no piece, or several: accents alone, control characters, Chinese."""
    whole = PIECES.ids(texts)
    for found, expected in zip(beginnings(texts, pieces, PIECES), whole, strict=True):
        assert found == expected[: len(found)] and len(found) >= min(pieces, len(expected))
    for found, expected in zip(endings(texts, pieces, PIECES), whole, strict=True):
        assert found == expected[len(expected) - len(found) :]
        assert len(found) >= min(pieces, len(expected))


def test_of_long_texts_only_the_words_needed_are_read():
    words = Words()
    assert beginnings(["1 2 3 4", "5 6"], 2, words) == [[1, 2], [5, 6]]
    assert endings(["1 2 3 4", "5 6"], 2, words) == [[3, 4], [5, 6]]
    assert beginnings(["1  2 3"], 2, words) == [[1, 2, 3]]  # whole: nothing stands between spaces
    assert words.asked == 4
