"""The page that a link means."""

import pytest

from muver.kb.importing.wiki.titles import Page, Wiki

WIKI = Wiki("w", {"benutzer": 2, "datei": 6, "kategorie": 14}, {2: "Benutzer", 6: "Datei"})


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("grey_river", Page(0, "Grey river")),
        (" Grey  River#Mouth ", Page(0, "Grey River")),
        ("C%2B%2B_%26 more", Page(0, "C++ & more")),
        ("A&nbsp;B &amp; C", Page(0, "A B & C")),
        (":Kategorie:orte", Page(14, "Kategorie:Orte")),
        ("category:x", Page(14, "category:X")),
        ("user:ann", Page(2, "Benutzer:Ann")),
        ("image: a b.png", Page(6, "Datei:A b.png")),
        ("Re:Zero", Page(0, "Re:Zero")),
        ("ßen", Page(0, "ßen")),
        ("ელ", Page(0, "ელ")),
        ("\u200eMark\u200f", Page(0, "Mark")),
        ("#section", None),
        ("category:", None),
        (" ", None),
    ],
)
def test_page(link, page):
    assert WIKI.page(link) == page


def test_a_dictionary_keeps_small_letters():
    assert Wiki("w", {}, {}, first_letter=False).page("grey_River") == Page(0, "grey River")


@pytest.mark.parametrize(
    ("link", "other"),
    [("fr:Ville", True), ("zh-min-nan:X", True), ("simple:X", True), ("Re:Zero", False),
     (":fr:Ville", False), ("user:ann", False), ("fr", False)],
)  # fmt: skip
def test_the_same_page_in_another_language(link, other):
    assert WIKI.other_language(link) == other
