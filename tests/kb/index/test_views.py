import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.segments import Part
from muver.kb.index.views import CUT, MOST, NEAR, EntityViews, sentence_spans_in
from muver.retriever.answers import Excerpt, Mention
from muver.retriever.corpus.texts import clean
from tests import tiny

TEXT = st.text("ab .\n\u00e4\U0001f600", max_size=30)
WHOLE = np.array([[0, 1]])


def views(description, spans):
    return EntityViews(Entity(id="1", title="", description=description), spans)


def described(description, sentences):
    return views(description, sentence_spans_in(description, sentences))


@given(TEXT, st.data())
def test_sentences_are_cut_as_from_the_cleaned_text(description, data):
    cleaned = clean(description)
    ends = sorted(data.draw(st.sets(st.integers(0, len(cleaned)), max_size=6), "ends"))
    spans = np.array(list(zip(ends, ends[1:], strict=False)), np.int64).reshape(-1, 2)
    one = views(description, spans)
    for n, (start, end) in enumerate(spans):
        assert one.text(n, n) == cleaned[start:end]
        first, last = one.place(n, n)
        assert clean(description[first:last]) == cleaned[start:end]
        assert one.excerpt(n, n) == Excerpt(description[:first], description[first:last],
                                            description[last:])  # fmt: skip
    assert one.text(0, len(spans)) == " ".join(cleaned[start:end] for start, end in spans)


def test_sentences_are_found_one_after_another():
    one = described("A gate . A gate. A bell .", ["A gate.", "A gate.", "A bell."])
    assert [one.place(n, n) for n in range(3)] == [(0, 8), (9, 16), (17, 25)]
    assert one.place(0, 2) == (0, 25)


def test_the_title_alone_stands_nowhere_and_has_the_beginning():
    for one in (views("A gate. A bell.", WHOLE), described("A gate. A bell.", [])):
        assert one.place(0, -1) == (None, None) and one.text(0, -1) == ""
        assert one.excerpt(0, -1) == Excerpt("", "", "A gate. A bell.")


def test_an_excerpt_has_whole_words_around_the_sentences():
    words = " ".join(["word"] * 100)
    found = described(f"{words} The bell. {words}", ["The bell."]).excerpt(0, 0)
    assert found.winning == "The bell."
    assert found.before.startswith(f"{CUT} word") and found.before.endswith("word ")
    assert found.after.startswith(" word") and found.after.endswith(f"word {CUT}")
    assert NEAR - 10 < len(found.before) <= NEAR + 1
    assert NEAR - 10 < len(found.after) <= NEAR + 1


def test_long_sentences_are_cut():
    text = "bell " * 1000
    one = described(text, [text[:3000], text[3000:]])
    assert one.text(0, 0) == one.text(0, 1) == text[:MOST] + CUT
    assert one.excerpt(0, 0) == Excerpt("", text[:MOST] + CUT, "")


def test_an_entity_is_read_once_whatever_is_asked_of_it(model, tmp_path, monkeypatch):
    """However many mentions find it, and however many views it has."""
    text = " ".join(f"The {word} of the king saw the tower twice." for word in tiny.WORDS[:9])
    entities = [Entity(id=id, title=id, description=text) for id in "abc"]
    index = Index.create(tmp_path / "index", entities, model)
    read, placed = [], []
    views, described = Part.views, EntityViews.__init__

    def reads(self, row):
        read.append(row)
        return views(self, row)

    def places(self, *given):
        placed.append(given)
        return described(self, *given)

    monkeypatch.setattr(Part, "views", reads)
    monkeypatch.setattr(EntityViews, "__init__", places)
    found = index.retrieve([Mention("the king"), Mention("the bell")] * 4, 3, excerpts=True)
    assert sorted(read) == [0, 1, 2] and len(placed) == 3
    assert all(one.excerpt.winning == one.text for own in found for one in own)
    read.clear(), placed.clear()
    told = index.explain(Mention("the king"), found[0][0].document_id)
    assert len(told.views) == 9 and len(read) == len(placed) == 1


def of_views(*views):
    """One whose views are sentences of their own, in a layer each if they are pairs."""
    views = [one if isinstance(one, tuple) else (0, one) for one in views]
    text, spans = "", []
    for _, one in views:
        spans.append((len(text), len(text) + len(one)))
        text += f"{one} "
    places = [(layer, n, n) for n, (layer, _) in enumerate(views)]
    made = Entity(id="1", title="t", description=text, world="w")
    return EntityViews(made, np.array(spans), np.array(places), np.zeros((len(views), 2)))


@pytest.mark.parametrize(
    ("views", "similarities", "won", "shown"),
    [
        (["(1995-11-11)", "Anna forged the gate"], [10.0, 9.95], 0, 1),
        (["(१९९५)", "अन्ना ने द्वार गढ़ा"], [10.0, 9.95], 0, 1),
        (["（一九）", "安娜打造了大门"], [-10.0, -10.05], 0, 1),
        (["(1995-11-11)", "Anna forged the gate"], [10.0, 9.5], 0, 0),
        (["Anna", "Άννα σιδεράς", "安娜"], [9.99, 10.0, 9.98], 1, 1),
        (["same", "like"], [10.0, 10.0], 1, 1),
        (["Anna", (1, "Anna forged the gate")], [10.0, 10.0], 0, 0),
        (["Anna"], [1.0], 0, 0),
        (["Anna", "Anna and Bo"], [1.0, 1.0], -1, -1),
    ],
)
def test_of_views_about_as_similar_the_one_that_says_most(views, similarities, won, shown):
    assert of_views(*views).shown(won, np.array(similarities)) == shown
