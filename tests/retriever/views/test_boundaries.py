"""Sentences in many scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.retriever.views.boundaries import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Born in Keld\nTrade: smith\r\nLived in Tern",
            ["Born in Keld", "Trade: smith", "Lived in Tern"],
        ),
        ("One. Two! Three. four.", ["One.", "Two!", "Three. four."]),
        (
            "Mr. Ash met Dr. J. R. Elm on Jan. 5.\nDr.\nNo",
            ["Mr. Ash met Dr. J. R. Elm on Jan. 5.", "Dr.", "No"],
        ),
        ("See No. 5. The answer is no. So.", ["See No. 5.", "The answer is no.", "So."]),
        (
            "It costs 3.50 at U.S. ports. “Yes.” So.",
            ["It costs 3.50 at U.S. ports.", "“Yes.”", "So."],
        ),
        ("वह दिल्ली में था। लोहार था॥ तीसरा", ["वह दिल्ली में था।", "लोहार था॥", "तीसरा"]),
        (
            "他住在北京。他是铁匠！「好。」他说。",
            ["他住在北京。", "他是铁匠！", "「好。」", "他说。"],
        ),
        ("ولد في دمشق. كان حداداً؟ نعم", ["ولد في دمشق.", "كان حداداً؟", "نعم"]),
        ("اردو جملہ۔ دوسرا جملہ۔", ["اردو جملہ۔", "دوسرا جملہ۔"]),
        ("Τι κάνεις; Καλά.", ["Τι κάνεις;", "Καλά."]),
        ("Он жил в Твери. Кузнец.", ["Он жил в Твери.", "Кузнец."]),
        ("ተወለደ። ሞተ።", ["ተወለደ።", "ሞተ።"]),
        ("ကိုလာသည်။ သွားသည်။", ["ကိုလာသည်။", "သွားသည်။"]),
        ("---\n* * *\n\n a \n(!)", ["a"]),
        (
            "\U0001f600 Am 𐐀𐐀. Bo. (Cat) \U0001f600",
            ["\U0001f600 Am 𐐀𐐀.", "Bo.", "(Cat) \U0001f600"],
        ),
        ("", []),
    ],
)
def test_by_hand(text, sentences):
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text())
def test_all_letters_are_in_one_sentence_and_no_line_end_is(text):
    spans = sentence_spans(text)
    at = [0, *(place for span in spans for place in span)]
    assert at == sorted(at)
    sentences = [text[start:end] for start, end in spans]
    assert all(
        sentence == sentence.strip() and not {"\n", "\r"} & {*sentence} for sentence in sentences
    )
    letters = sum(map(str.isalnum, text))
    assert sum(sum(map(str.isalnum, sentence)) for sentence in sentences) == letters
