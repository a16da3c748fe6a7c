"""Pages of a world: which stay, what they are called, and which links name a page."""

import pytest

from muver.kb.importing.pages.forms import markdown
from muver.kb.importing.pages.linked import linked

FILLED = "There are more than enough words in this line for any page to stay."


def world(named_by_file=False, **files):
    pages = {name.replace("__", "/") + ".md": text.encode() for name, text in files.items()}
    return list(linked(pages, markdown, named_by_file))


def links(entity):
    return [(entity.description[one.start : one.end], one.target) for one in entity.links]


def test_titles():
    pages = world(
        sea__Brig=f"# The Brig\n{FILLED}",
        sea__Old_ship=FILLED,
        sea__Port=f"# Port\n{FILLED}",
        wine__Port=f"# port\n{FILLED}",
        wine__port_too=f"# Port\n{FILLED}",
        wine__Short="# Short\nToo few words.",
    )
    assert [(one.id, one.title) for one in pages] == [
        ("sea/Brig.md", "The Brig"),
        ("sea/Old_ship.md", "Old ship"),
        ("sea/Port.md", "Port (sea)"),
        ("wine/Port.md", "port (wine)"),
    ]
    assert [one.title for one in world(True, sea__Old_ship=f"# Else\n{FILLED}")] == ["Old ship"]


@pytest.mark.parametrize(
    "target",
    [
        "brig.md",
        "Brig",
        "../sea/Brig.md#masts",
        "/sea/brig",
        "sea.brig",
        "Brig?view=1",
        "xref:Brig",
        "/index.php/Brig",
    ],
)
def test_a_link_finds_its_page(target):
    here = world(sea__Brig=FILLED, sea__Dock=f"{FILLED} A [ship]({target}).")[1]
    assert links(here) == [("ship", "Brig")]


@pytest.mark.parametrize(
    "target", ["Sloop.md", "http://x.org/Brig", "#Brig", "index.md", "Dock.md"]
)
def test_a_link_to_no_page_or_to_its_own(target):
    pages = {"a__index": FILLED, "b__index": FILLED, "sea__Brig": FILLED}
    here = world(**pages, sea__Dock=f"{FILLED} A [ship]({target}).")
    assert links(here[-1]) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("See [the brig](Brig), or [again](Brig), and [another ship](Sloop) here now.",
         ["the brig", "another ship"]),
        ("[the brig](Brig) and [another](Sloop)", []),  # navigation
        ("As was said in [Lemma 2.3](Brig) and [this article](Sloop), all is well.", []),
        ("For more see [here](Brig), and what is said of [it.](Brig) further on.", ["it."]),
    ],
)  # fmt: skip
def test_which_links_are_mentions(line, found):
    pages = world(Brig=FILLED, Dock=f"{FILLED}\n\n{line}", Sloop=FILLED)
    assert [label for label, _ in links(pages[1])] == found


@pytest.mark.parametrize(
    "page", [f"1.  REDIRECT [Brig](Brig) {FILLED}", f"Redirect to:\n\n- [Brig](Brig)\n\n{FILLED}"]
)
def test_redirects(page):
    pages = world(Brig=FILLED, Dock=f"{FILLED} A [two-master](Ship).", Ship=page)
    assert [one.title for one in pages] == ["Brig", "Dock"]
    assert links(pages[1]) == [("two-master", "Brig")]


def test_a_page_about_redirects_is_none():
    pages = world(Brig=FILLED, Ship=f"Redirect rules are these.\n\n[Brig](Brig) {FILLED}")
    assert [one.title for one in pages] == ["Brig", "Ship"]
