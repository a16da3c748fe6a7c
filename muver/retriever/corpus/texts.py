"""Texts: ZESHEL's tokenisation, how mentions and titles overlap, and words as BM25 counts them.

A word is letters, marks, digits and underscores side by side, in one form. A Chinese or Japanese
character is a word, as for Lucene, since no spaces stand between words there; in Thai, Lao, Khmer
and Burmese the dictionaries of ICU find them.
"""

import re
from collections.abc import Iterator, Sequence

from muver.io.text import normal


def clean(text: str) -> str:
    """Remove the space that ZESHEL's tokenisation puts before a full stop.

    Punkt takes a full stop that stands alone for a sentence of its own. The released system does
    this clean-up and no other.

    >>> clean("He left . She stayed .")
    'He left. She stayed.'
    """
    return text.replace(" .", ".")


def nearest(left: Sequence[str], right: Sequence[str], tokens: int) -> tuple[str, str]:
    """The words beside a mention, lower-cased and joined, at most ``tokens`` on each side.

    >>> nearest(["Ann", "met", "the"], ["at", "Noon", "."], 2)
    ('met the', 'at noon')
    """
    return " ".join(left[max(0, len(left) - tokens) :]).lower(), " ".join(right[:tokens]).lower()


def category(mention: str, title: str) -> str:
    """ZESHEL's category of a mention, from its text and the gold title alone (ignoring case).

    HIGH_OVERLAP: the mention is the title; MULTIPLE_CATEGORIES: the title is the mention and a
    disambiguation in parentheses; AMBIGUOUS_SUBSTRING: the mention is a part of the title;
    LOW_OVERLAP: anything else (Logeswaran et al. 2019, section 3.2).

    >>> category("Kora Dol", "Kora Dol"), category("Kora Dol", "Kora Dol (ship)")
    ('HIGH_OVERLAP', 'MULTIPLE_CATEGORIES')
    >>> category("Dol", "Kora Dol (ship)"), category("ship", "Kora Dol (ship)")
    ('AMBIGUOUS_SUBSTRING', 'AMBIGUOUS_SUBSTRING')
    >>> category("K . Dol", "Kora Dol"), category("The mariner", "Kora Dol")
    ('LOW_OVERLAP', 'LOW_OVERLAP')
    """
    mention, title = mention.lower(), title.lower()
    if mention == title:
        return "HIGH_OVERLAP"
    if title.startswith(f"{mention} (") and title.endswith(")"):
        return "MULTIPLE_CATEGORIES"
    return "AMBIGUOUS_SUBSTRING" if mention in title else "LOW_OVERLAP"


# What is typed in several ways; both letters i of Turkish are I in capitals of some language.
TYPED = {"i\u0307": "i", "\u0131": "i"} | dict.fromkeys("\u2018\u2019\u02bc", "'")
TYPED |= dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
# Characters that say how others look or where a line may end, and not which they are.
UNSEEN = re.compile("[\u00ad\u200c-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]")


def in_one_form(text: str) -> str:
    """A text without regard to case, to forms of Unicode and to how its signs are typed.

    >>> in_one_form("\u0130stanbul\u2019s ﬁles") == in_one_form("ISTANBUL'S FILES")
    True
    """
    if text.isascii():
        return text.lower()
    # Some letters get small ones only in their other form, and other forms of small ones.
    text = normal(normal(text, "NFKC").casefold(), "NFKC")
    for typed, same in TYPED.items():
        text = text.replace(typed, same)
    return UNSEEN.sub("", text)


ASCII = re.compile(r"\w+", re.ASCII)
WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]"
    r"|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]+"
)
IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]")
# The blocks with marks that stay by themselves in NFKC, and of scripts without spaces: most texts
# in Latin, Greek, Cyrillic or Chinese have none of them, and need no look at marks.
MARKED = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u0590-\u1cff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f"
    "\u3099\u309a\ua66f-\uabff\ufb1e\ufe20-\ufe2f\U00010000-\U0001ffff]"
)


def split(texts: Sequence[str], shortest: int = 1) -> list[list[str]]:
    """The words of texts, of ``shortest`` letters or more where a letter is no word.

    >>> split(["Vitamin D is_good", "दिल्ली", "東京Tower"])
    [['vitamin', 'd', 'is_good'], ['दिल्ली'], ['東', '京', 'tower']]
    >>> split(["a bc é x_ 東京 に"], 2)
    [['bc', 'x_', '東', '京', 'に']]
    """
    of_texts = [_words(text) for text in texts]
    if shortest == 1:
        return of_texts
    return [
        [word for word in words if len(word) >= shortest or IDEOGRAPH.match(word)]
        for words in of_texts
    ]


def _words(text: str) -> list[str]:
    text = in_one_form(text)
    if text.isascii():
        return ASCII.findall(text)
    if not MARKED.search(text):
        return WORD.findall(text)
    return list(_by_boundaries(text))


def _by_boundaries(text: str) -> Iterator[str]:
    """Words by Unicode's boundaries (UAX 29), which no mark ends."""
    from icu4py.breakers import WordBreaker

    for word in WordBreaker(text, "root"):
        if not MARKED.search(word):
            yield from WORD.findall(word)
        elif WORD.search(word):
            yield word
