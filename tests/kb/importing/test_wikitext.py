"""Wikitext as a reader sees it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.kb.importing.wikitext import Page, Wiki, read_prose

WIKI = Wiki("w", {"file": 6, "category": 14}, {6: "File", 14: "Category"})


def prose(wikitext):
    return read_prose(wikitext, WIKI)


def links(wikitext):
    made = prose(wikitext)
    return [(made.text[link.start : link.end], link.target) for link in made.links]


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("'''Bold''' and ''it''.", "Bold and it."),
        ("a\nb\n\n\nc  d", "a b\nc d"),
        ("x<!-- no -->y<ref>no [[A]]</ref>z<ref name=a />.", "xyz."),
        ("{{Infobox|a={{b}}}}Text {{lang|fr|mot}} {{convert|3|km}}{{unknown|no}}", "Text mot 3 km"),
        ("{| class=x\n| cell [[A]]\n|}\nafter", "after"),
        ("* one\n* two\n# three\n: four", "one\ntwo\nthree\nfour"),
        ("[http://x.org a page] [http://x.org] http://x.org", "a page"),
        ("[[File:A.jpg|thumb|A [[cat]]]]Text[[Category:Cats]]\n[[fr:Chat]]", "Text"),
        ("[[:Category:Cats]] and [[:File:A.jpg|the file]]", "Category:Cats and the file"),
        ("&eacute;&nbsp;&#8212; &bogus;", "é — &bogus;"),
        ("<nowiki>[[no]] ''x''</nowiki>", "no x"),
        ("a<br>b<hr/>c<div>d</div>e", "a\nb\nc\nd\ne"),
        ('<span style="display: none">no</span>yes', "yes"),
        ("H<sub>2</sub>O", "H2O"),
        ("<includeonly>no</includeonly><noinclude>yes</noinclude>", "yes"),
        ("__NOTOC__Text", "Text"),
        ("an open {{ brace and [[ link and {| table '''", "an open brace and link and table"),
        ("<b>crossed <i>tags</b> here</i>", "crossed tags here"),
        ("", ""),
    ],
)  # fmt: skip
def test_text(wikitext, text):
    assert prose(wikitext).text == text


@pytest.mark.parametrize(
    ("wikitext", "found"),
    [
        ("the [[cat]]s and [[dog|big ''dogs'']]", [("cats", "Cat"), ("big dogs", "Dog")]),
        ("[[A]][[B]]c", [("A", "A"), ("Bc", "B")]),
        ("[[A]] [[b_c#d|e]]'s f", [("A", "A"), ("e", "B c")]),
        ("[[北京]]是[[Холм]]ы", [("北京", "北京"), ("Холмы", "Холм")]),
        ("''[[A|B]]''c, [[D]]<!-- -->e", [("B", "A"), ("De", "D")]),
        ("== [[Heading]] ==\n[[A]]", [("A", "A")]),
        ("[[|]] [[ ]] [[A|]] [[A| ]] [[#s|x]] [[{{t}}|y]] [[unclosed", []),
        ("[[Media:a.ogg|sound]] [[A&nbsp;b]]", [("A b", "A b")]),
        ("x [[A|&amp; co]] y", [("& co", "A")]),
        ("* [[A]]\n* [[B]]", [("A", "A"), ("B", "B")]),
    ],
)
def test_links(wikitext, found):
    assert links(wikitext) == found


def test_headings_stand_before_the_text_of_their_section():
    made = prose(
        "Lead.\n== One ==\nText.\n=== Empty ===\n== Two ==\n=== Deep ===\nMore.\n== Last =="
    )
    assert made.text == "Lead.\nOne\nText.\nTwo\nDeep\nMore."


@pytest.mark.parametrize(
    ("wikitext", "marked"),
    [
        ("{{Disambiguation}}", True),
        ("{{template:Human_name disambiguation|x}}", True),
        ("{{Begriffsklärung}}", True),
        ("__DISAMBIG__", True),
        ("{{disambiguation needed}} disambiguation", False),
    ],
)
def test_disambiguation_pages_are_marked(wikitext, marked):
    assert prose(wikitext).disambiguates == marked


PIECES = ["[[", "]]", "|", "{{", "}}", "{|", "|}", "''", "'''", "==", "\n", "\n\n", "* ", " ", "a",
          "bé", "北", "<ref>", "</ref>", "<b>", "</b>", "&nbsp;", "<!--", "-->", "Category:",
          "File:", "#", ":"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_markup_gives_a_text_with_its_links_in_order(pieces):
    made = prose("".join(pieces))
    assert made.text == made.text.strip() and "  " not in made.text
    ends = [0, *(link.end for link in made.links)]
    for link, before in zip(made.links, ends, strict=False):
        label = made.text[link.start : link.end]
        assert before <= link.start < link.end <= len(made.text)
        assert label == label.strip()


GERMAN = Wiki("w", {"benutzer": 2, "datei": 6, "kategorie": 14}, {2: "Benutzer", 6: "Datei"})


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
    assert GERMAN.page(link) == page


def test_a_dictionary_keeps_small_letters():
    assert Wiki("w", {}, {}, first_letter=False).page("grey_River") == Page(0, "grey River")


@pytest.mark.parametrize(
    ("link", "other"),
    [("fr:Ville", True), ("zh-min-nan:X", True), ("simple:X", True), ("Re:Zero", False),
     (":fr:Ville", False), ("user:ann", False), ("fr", False)],
)  # fmt: skip
def test_the_same_page_in_another_language(link, other):
    assert GERMAN.other_language(link) == other
