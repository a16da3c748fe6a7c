"""Paragraphs as sentences of a text: their places fit the cleaned text, whatever is in them."""

from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.corpus.clean import clean
from muver.retriever.corpus.linking.passages import passages

TEXT = st.text(alphabet=st.sampled_from(list("ab. \n.é")), max_size=8)


def test_by_hand():
    found = passages(["One . Two", ".", "Three"])
    assert found.text == "One . Two\n.\nThree"
    assert found.sentences == ["One. Two", ".", "Three"]
    assert (found.starts, found.ends) == ([0, 9, 11], [8, 10, 16])
    assert passages([]) == ("", [], [], [])


@given(st.lists(TEXT, max_size=6))
def test_each_paragraph_is_the_span_of_its_place(paragraphs):
    found = passages(paragraphs)
    cleaned = clean(found.text)
    spans = zip(found.starts, found.ends, strict=True)
    assert [cleaned[start:end] for start, end in spans] == found.sentences
    assert found.sentences == [clean(paragraph) for paragraph in paragraphs]
    assert found.text.split() == [word for one in paragraphs for word in one.split()]
