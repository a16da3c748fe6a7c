"""Views that read all of a description."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.views.boundaries import sentence_spans
from muver.retriever.views.build import whole_views
from muver.retriever.views.layout import Markers
from muver.retriever.views.views_settings import Views

SETTINGS = Views(kind="sentences", max_tokens=16, min_pieces=3, title_room=6, training_views=None)


class Letters:
    """A tokenizer whose pieces are three letters of a word."""

    markers = Markers(pad=0, bos=(1,), eos=(2,), mention_start=3, mention_end=4, title_end=5)

    def offsets(self, text):
        places, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            ends = [*range(at + 3, at + len(word), 3), at + len(word)]
            places += zip([at, *ends], ends, strict=False)
            at += len(word)
        return places

    def ids(self, texts, within=False):
        return [[9 + hash(text[a:b]) % 9 for a, b in self.offsets(text)] for text in texts]


def laid_out(title, text):
    tokenizer = Letters()
    spans = sentence_spans(text)
    ids = tokenizer.ids([text[start:end] for start, end in spans])
    (title_pieces,) = tokenizer.ids([title])
    parts, views = whole_views(title_pieces, text, spans, ids, SETTINGS, tokenizer)
    said = [" | ".join(text[a:b] for a, b in parts[max(v.first, 0) : v.last + 1]) for v in views]
    return said, views, parts


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("Ann", "Born in Keld\nTrade: smith\nBo", ["Born in Keld", "Trade: smith | Bo"]),
        ("Ann", "a\nb\nc\nd", ["a | b | c | d"]),
        ("Ann", "", [""]),
        ("Ann", "---", [""]),
        ("Ann", "(1995-11-11).\nBorn in Keld", ["(1995-11-11). | Born in Keld"]),
        ("老王", "（1995-11-11）\n一二三四五六七八九", ["（1995-11-11） | 一二三四五六七八九"]),
        ("राम", "केल्ड में जन्म\n१९९५-११-११", ["केल्ड में जन्म | १९९५-११-११"]),
        (
            "Ann",
            "one two six ten one two six ten one two six ten one two six ten one",
            ["one two six ten one two six ten one two six ten", "one two six ten one"],
        ),
        (
            "老王",
            "一二三四五六七八九十" * 5,
            ["一二三四五六七八九十" * 3 + "一二三四五六", "七八九十一二三四五六七八九十"],
        ),
        ("A" * 90, "Born in Keld\nTrade: smith", ["Born in Keld", "Trade: smith"]),
    ],
)
def test_by_hand(title, text, said):
    assert laid_out(title, text)[0] == said


@given(st.text(), st.text(alphabet="ab ज़ि。\n漢."))
def test_every_letter_is_in_one_view_that_is_not_too_long(title, text):
    said, views, parts = laid_out(title, text)
    assert all(len(view.ids) <= 16 for view in views)
    assert sum(map(str.isalnum, "".join(said))) == sum(map(str.isalnum, text))
    assert [view.first for view in views][1:] == [view.last + 1 for view in views][:-1]
    assert len(parts) == views[-1].last + 1


def test_a_very_long_sentence_is_read_once():
    text = "word " * 40_000
    said, views, _ = laid_out("t", text)
    assert sum(one.count("word") for one in said) == 40_000
