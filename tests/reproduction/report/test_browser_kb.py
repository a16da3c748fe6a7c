"""The page of Table 2 in a real browser: sets as worlds, paragraphs as sentences."""

import pytest

from muver.reproduction.report import collection
from tests.reproduction.report.conftest import copy_of, page_of


@pytest.fixture(scope="module")
def places(linked, tmp_path_factory):
    return copy_of(linked, tmp_path_factory.mktemp("copy") / "project")


def test_a_mention_with_its_winning_paragraph(tab, places):
    tab.open(page_of(places)[0], "#explore&row=muver&k=1&mention=first-2")
    assert (
        tab.one("#grouped-by").text == "Set" and tab.one("#gold-unit").text == "Gold's paragraphs"
    )
    assert tab.texts("#group option") == ["all", "first", "second"]
    assert "Rome (4 paragraphs)" in tab.one(".gold-entity").text
    assert tab.texts(".candidate .title strong") == ["Rome", "Paris", "Quito"]
    assert "view of paragraph 2" in tab.one(".candidate").text
    assert tab.one(".candidate mark.view").text == "A bell , rung twice ."
    tab.choose("group", "second")
    assert tab.one("#summary").text.startswith("1 mention of 3; of the 1 before")
    tab.one(".ranks button").click()
    tab.choose("group", "first")
    assert "one view: at most the first 4 word pieces" in tab.one(".candidate").text
    assert tab.complaints() == []


def test_descriptions_that_were_not_read(tab, places, monkeypatch):
    monkeypatch.setattr(collection, "BYTES_READ", 0)
    tab.open(page_of(places, "unread.html")[0], "#explore&row=muver&mention=first-2")
    assert tab.one("#sampled").text == "Of 8 entities of 8 only the title is here."
    assert "Rome (description not read)" in tab.one(".gold-entity").text
    assert "(description not read)" in tab.one(".candidate").text
    assert tab.complaints() == []
