"""Words of many scripts."""

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muver.retriever.corpus.texts import split


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Vitamin D, C++ and it's_ok 3.14", "vitamin d c and it s_ok 3 14"),
        ("Köln, STRASSE und Straße", "köln strasse und strasse"),
        ("Zu\u0308rich \ufb01le ＡＢＣ ℡", "zürich file abc tel"),
        ("दिल्ली में दाल, हिंदी!", "दिल्ली में दाल हिंदी"),
        ("বাংলা தமிழ் తెలుగు മലയാളം", "বাংলা தமிழ் తెలుగు മലയാളം"),
        ("مُحَمَّد يكتب، ٣ كتب", "مُحَمَّد يكتب ٣ كتب"),
        ("שָׁלוֹם עולם", "שָׁלוֹם עולם"),
        ("Ο Οδυσσέας ΆΝΔΡΑ", "ο οδυσσέασ άνδρα"),
        ("東京タワーは高い", "東 京 タ ワ ー は 高 い"),
        ("서울은 크다", "서울은 크다"),
        ("กรุงเทพมหานครเป็นเมืองหลวง", "กรุงเทพมหานคร เป็น เมือง หลวง"),
        ("می\u200cخواهم", "میخواهم"),
        ("İSTANBUL ısparta Iğdır", "istanbul isparta iğdir"),
        ("Donau\u00addampf \u200fעכו\u200f", "donaudampf עכו"),
        ("x\U0001f600 — ́", "x"),
        ("\U00010400\U00010401 दाल \U0001f600 a", "\U00010428\U00010429 दाल a"),
        ("", ""),
    ],
)
def test_by_hand(text, words):
    assert split([text]) == [words.split()]


LATIN = [
    one
    for one in map(chr, range(32, 0x180))
    if unicodedata.normalize("NFKC", one) == one and len(one.lower()) == 1 and one not in "ı\xad"
]


@given(st.text(alphabet=LATIN))
def test_latin_words_are_those_of_the_tables_before(text):
    """By the pattern of bm25s, but for letters with other folds than their small form."""
    if text.casefold() == text.lower():
        assert split([text], 2) == [re.findall(r"(?u)\b\w\w+\b", text.lower())]


@settings(max_examples=25)
@given(st.text(max_size=30))
def test_the_case_says_nothing(text):
    assert split([text.casefold()]) == split([text])
