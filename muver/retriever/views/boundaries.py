"""Sentences by the rules of Unicode (UAX 29), as ICU has them for the script of a text.

A line is never a part of a sentence with the next one, so that the items of a list, headings and
lines of a table stay apart. A full stop after an abbreviation ends no sentence.
"""

import re
import unicodedata

from icu4py.breakers import SentenceBreaker

from muver.retriever.views.layout import Span

OPENING = ("Ps", "Pi")  # categories of characters
GREEK = re.compile("[\u0370-\u03ff\u1f00-\u1fff]")
ABBREVIATIONS = """
adm al apr aug ave blvd bros c ca capt cf cmdr co col corp dec dept dr e.g ed eds esp est etc feb fl
gen gov hon i.e inc jan jr jul jun lt ltd maj mar max messrs min mr mrs ms mt nov oct prof pt rd ref
rep rev sen sep sept sgt sr st u.k u.s vs
"""
NUMBERED = "ch fig figs no nos op p pp vol vols"  # before a number alone
_ABBREVIATIONS, _NUMBERED = (frozenset(words.split()) for words in (ABBREVIATIONS, NUMBERED))
# The last word before the full stop that ends a text.
LAST = re.compile(r"(?:^|[\s(\[])([^\s()\[\]]{1,8})\.\s*\Z")


def sentence_spans(text: str) -> list[Span]:
    r"""Start and end of each sentence of a text, in characters, without the white space around;
    those without a letter or digit are left out.

    >>> text = "Mr. Ash came. She left!\nTrade: smith"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Mr. Ash came.', 'She left!', 'Trade: smith']
    """
    locale = "el" if GREEK.search(text) else "en@ss=standard"
    spans: list[Span] = []
    start = after = 0
    # The breaker counts in UTF-16, in which some characters are two units.
    for segment in SentenceBreaker(text, locale):
        first = after
        end = after = first + len(segment)
        while end > first and unicodedata.category(text[end - 1]) in OPENING:
            end -= 1  # a bracket or quotation mark opens what follows
        if end < len(text) and _goes_on(text, first, end):
            continue
        sentence = text[start:end]
        if any(map(str.isalnum, sentence)):
            start += len(sentence) - len(sentence.lstrip())
            spans.append((start, start + len(sentence.strip())))
        start = end
    return spans


def _goes_on(text: str, start: int, end: int) -> bool:
    """Whether the sentence that seems to end here ends with an abbreviation or an initial."""
    if text[end - 1] not in ". \t\u00a0":
        return False
    if (last := LAST.search(text[max(start, end - 24) : end])) is None:
        return False
    word = last[1]
    if word.lower() in _NUMBERED:
        return text[end].isdigit()
    return word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isupper())
