"""A wiki's export: pages, redirects, what is left out, and exports of other kinds."""

import bz2
from pathlib import Path

import mwparserfromhell
import pytest

from muver.io.errors import InputError

SMALL = Path(__file__).parents[1] / "data" / "smallwiki.xml"
HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><dbname>db</dbname>
<case>first-letter</case><namespaces><namespace key="0" /><namespace key="1">Talk</namespace>
</namespaces></siteinfo>"""
FOOT = "</mediawiki>"


def page(title, text, number, more="<ns>0</ns>"):
    return (
        f"<page><title>{title}</title>{more}<id>{number}</id><revision><id>9</id>"
        f"<model>wikitext</model><text>{text}</text></revision></page>\n"
    )


def by_title(rows):
    return {row["title"]: row for row in rows}


def test_the_small_wiki(imported):
    rows, counts = imported(SMALL)
    found = by_title(rows)
    assert counts["worlds"] == {"testwiki": 40}
    assert found["Old Bridge"]["aliases"] == ["The Old Bridge", "Bridge of Holt"]  # one is double
    assert found["Grey River"]["aliases"] == ["River mouth"]  # of a section
    assert found["Mira Holt"]["aliases"] == ["Holt"]
    assert found["North Light"]["description"] == (
        "North Light is a lighthouse at the mouth of the Grey River. The Mercury was lost there. "
        "A light for Mira."
    )
    assert found["Unclosed"]["description"].startswith("Unclosed has an open template and unclosed")
    assert found["Empty"]["description"] == ""
    assert found["東京"]["description"] == "東京は港町と交易する都市である。"
    assert sum(not title.isascii() for title in found) == 22
    further = dict(found["Harbour Town"]["further"])
    assert further["categories"] == "Places\nTowns"
    left_out = {what: one["count"] for what, one in counts["left_out"].items()}
    assert left_out == {
        "disambiguation pages": 3, "pages of namespace Talk": 1, "pages of namespace Category": 1,
        "pages of namespace Template": 2, "pages of namespace Help": 1,
        "redirects to no entity": 3,  # one to nowhere, and two to each other
    }  # fmt: skip


def test_several_processes_give_the_same(imported, written, monkeypatch):
    whole, _ = imported(SMALL)
    monkeypatch.setattr("muver.kb.importing.sources.mediawiki.BATCH", 5000)
    monkeypatch.setattr("muver.kb.importing.sources.mediawiki.PIECE", 701)
    assert (
        imported(written("small.xml.bz2", bz2.compress(SMALL.read_bytes())), workers=2)[0] == whole
    )


def test_other_namespaces_templates_and_marks(imported):
    rows, _ = imported(
        SMALL,
        settings={
            "namespaces": [0, 1],
            "shown": {"Infobox place": ["name"]},
            "disambiguation": ["stub"],
        },
        world="mine",
    )
    found = by_title(rows)
    assert found["Talk:Harbour Town"]["world"] == "mine"
    assert found["Harbour Town"]["description"].startswith("Harbour Town Harbour Town (Ville")
    assert "Empty" not in found


def test_of_a_full_history_the_newest_counts(written, imported):
    old, new = page("A", "old", 1), page("A", "new", 1)
    revision = new[new.index("<revision>") : new.index("</page>")]
    both = old.replace("</page>", revision + "</page>")
    assert imported(written("w.xml", HEAD + both + FOOT))[0][0]["description"] == "new"


def test_an_old_export_without_namespaces_and_redirect_tags(written, imported):
    pages = (page("Talk:A", "x", 1, ""), page("B", "#WEITERLEITUNG [[a|x]]", 2, ""),
             page("A", "text", 3, "<upload>u</upload>"))  # fmt: skip
    rows, counts = imported(written("w.xml", HEAD + "".join(pages) + FOOT))
    assert [(row["title"], row["aliases"]) for row in rows] == [("A", ["B"])]
    assert counts["left_out"].keys() == {"pages of namespace Talk"}


def test_an_item_of_a_list_is_no_redirect(written, imported):
    pages = (
        page("Dough", "#Take [[Flour]] and water.\n#Knead it.", 1),
        page("Flour", "It is ground.", 2),
        page("Meal", "#REDIRECT[[flour]] {{R from name}}\n[[Category:Food]]&lt;!-- x --&gt;", 3),
        page("Mehl", "#REDIRECT [[Flour]] text", 4, "<ns>0</ns><redirect/>"),
    )
    rows, _ = imported(written("w.xml", HEAD + "".join(pages) + FOOT))
    assert [(row["title"], row["aliases"]) for row in rows] == [
        ("Dough", []), ("Flour", ["Meal", "Mehl"]),
    ]  # fmt: skip


@pytest.mark.parametrize("more", ["", " [[B]]"])
def test_what_a_reader_sees_as_a_tag_stays(more, written, imported):
    text = f"&amp;lt;b&amp;gt; and &amp;amp;lt; are HTML{more}"
    rows, _ = imported(written("w.xml", HEAD + page("A", text, 1) + FOOT))
    assert rows[0]["description"] == "<b> and &lt; are HTML" + more.replace("[[B]]", "B")


def test_what_is_no_page_of_text_is_left_out(written, imported):
    pages = (
        page("A", "text", 1),
        page("Bad", "a \x0b character", 2),
        page("Code.js", "x", 3).replace("wikitext", "javascript"),
        page("", "x", 4),
    )
    rows, counts = imported(written("w.xml", HEAD + "".join(pages) + FOOT))
    assert [row["title"] for row in rows] == ["A"]
    assert {what: one["count"] for what, one in counts["left_out"].items()} == {
        "pages that are not valid": 1, "pages without wikitext": 1,
        "pages without title or id": 1,
    }  # fmt: skip
    assert "page 'Bad'" in counts["left_out"]["pages that are not valid"]["first"][0]


def test_a_page_that_the_parser_gives_up_on(imported, monkeypatch):
    parse = mwparserfromhell.parse

    def fails(wikitext):
        if "Fishing" in wikitext:
            raise mwparserfromhell.parser.ParserError("too deep")
        return parse(wikitext)

    monkeypatch.setattr(mwparserfromhell, "parse", fails)
    rows, counts = imported(SMALL)
    assert len(rows) == 38  # Fishing, and Harbour Town, which mentions it
    assert counts["left_out"]["pages that mwparserfromhell doesn't parse"]["count"] == 2


@pytest.mark.parametrize("brackets", ["{{", "{{{"])
def test_a_page_of_templates_within_templates(brackets, written, imported):
    deep = brackets * 800 + "x" + "}" * 800 * len(brackets)
    fishing = SMALL.read_text().partition("<title>Fishing</title>")
    start, text, end = fishing[2].partition("<text")
    spoilt = "".join([*fishing[:2], start, text, end.partition(">")[0], ">", deep])
    rest = end.partition("</text>")
    rows, counts = imported(written("small.xml", spoilt + rest[1] + rest[2]))
    assert "Fishing" not in [row["title"] for row in rows] and len(rows) > 30
    assert counts["left_out"]["pages that mwparserfromhell doesn't parse"]["count"] == 1


def test_an_export_that_was_cut_off(written, imported):
    whole = SMALL.read_bytes()
    cut = written("small.xml", whole[: len(whole) // 2])
    with pytest.raises(InputError, match="small.xml: .*</mediawiki>"):
        imported(cut)
    archive = written("small.xml.bz2", bz2.compress(whole)[:-100])
    with pytest.raises(InputError, match="the archive ends too early"):
        imported(archive)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<html>no</html>", "no export of MediaWiki"),
        ("", "no export of MediaWiki"),
        (HEAD + FOOT, "no entity"),
        (HEAD.replace("</dbname>", "") + page("A", "x", 1) + FOOT, "<siteinfo> is not valid"),
        (HEAD + page("A", "x", 1) + page("B", "x", 1) + FOOT, "page 'B': id '1' is already that"),
    ],
)
def test_mistakes(content, said, written, imported):
    with pytest.raises(InputError, match=said):
        imported(written("w.xml", content))


@pytest.mark.parametrize("begun", [HEAD, HEAD + "<page>", HEAD + page("A", "x", 1) + "<page>"])
def test_what_does_not_end_is_not_held(begun, written, imported, monkeypatch):
    for name, value in {"PIECE": 100, "BATCH": 100, "LONGEST_LINE": 1000}.items():
        monkeypatch.setattr(f"muver.kb.importing.sources.mediawiki.{name}", value)
    with pytest.raises(InputError, match="w.xml, .*: longer than"):
        imported(written("w.xml", begun + " " * 5000 + "</page>" + FOOT))


@pytest.mark.parametrize("number", ["x", "-", "9" * 6000])
def test_numbers_that_are_none(number, written, imported):
    pages = page("A", "x", 1) + page("B", "x", 2, f"<ns>{number}</ns>")
    _, counts = imported(written("w.xml", HEAD + pages + FOOT))
    assert "page 'B'" in counts["left_out"]["pages that are not valid"]["first"][0]
    head = HEAD.replace('key="1"', f'key="{number}"')
    with pytest.raises(InputError, match="w.xml: its <siteinfo> is not valid"):
        imported(written("w.xml", head + pages + FOOT))
