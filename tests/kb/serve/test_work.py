from hypothesis import given
from hypothesis import strategies as st

from muver.kb.serve.forms import Excerpt
from muver.kb.serve.work import MOST, NEAR, Ranking, excerpt, place
from muver.retriever.corpus.texts import clean
from muver.retriever.retrieval.answers import Mention
from tests.kb.serve.fake import shelf

TEXT = st.text("ab .(\u00e4\U0001f600", min_size=1, max_size=9).filter(str.strip)
SENTENCES = st.lists(TEXT, min_size=1, max_size=3)


@given(SENTENCES, SENTENCES, SENTENCES, st.sampled_from((" ", "  ", "\n", "\t \n")))
def test_sentences_are_found_whatever_stands_between_their_words(before, own, after, gap):
    description = gap.join(" ".join([*before, *own, *after]).split(" "))
    start, end = place(description, clean(" ".join(own)))
    assert "".join(description[start:end].split()) == "".join(" ".join(own).split())


def test_what_is_not_there_is_not_found():
    assert place("The gate.", "A bell") is None
    assert place("The gate.", " ") is None
    assert place("", "A bell") is None


def test_many_spaces_before_full_stops_take_no_longer():
    """With a regular expression this text took for ever (and all of the service with it)."""
    gaps = "   " * 20
    description = f"{gaps}.".join(["word"] * 40)
    end = len(description) - 1
    assert place(description, clean(f"{description}.")) is None
    assert place(description, clean(description)[:-1]) == (0, end)


def test_an_excerpt_has_whole_words_around_the_sentences():
    words = " ".join(["word"] * 100)
    found = excerpt(f"{words} The bell. {words}", "The bell.")
    assert found.winning == "The bell."
    assert found.before.startswith("\u2026 word") and found.before.endswith("word ")
    assert found.after.startswith(" word") and found.after.endswith("word \u2026")
    assert NEAR - 10 < len(found.before) <= NEAR + 1
    assert NEAR - 10 < len(found.after) <= NEAR + 1


def test_a_long_winning_text_is_cut():
    found = excerpt("bell " * 1000, "bell " * 1000)
    assert len(found.winning) == MOST + 1 and found.winning.endswith("\u2026")
    assert found.before == found.after == ""


def test_an_entity_that_is_removed_meanwhile_has_no_excerpt():
    index = shelf().open()
    ranked = index.retrieve([Mention("smith")])
    index.retrieve = lambda *_: ranked
    index.remove(["smith"], "town")
    ((_, (found,)),) = Ranking(index, 3, True)([[Mention("smith")]])
    excerpts = {one.id: one.excerpt for one in found.candidates}
    assert excerpts.pop("smith") == Excerpt("", "", "")
    assert len(excerpts) == 2 and all(one.winning for one in excerpts.values())


def test_without_a_text_the_beginning_is_shown():
    assert excerpt("A gate. A bell.", "").after == "A gate. A bell."
