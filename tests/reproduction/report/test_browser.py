"""The page in a real browser, opened as a file."""

from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from muver.retriever.evaluation.significance import randomisation_test
from tests.reproduction.report.browser import Tab
from tests.reproduction.report.conftest import copy_of, page_of
from tests.reproduction.report.made import GIVEN, SCRIPT


@pytest.fixture(scope="module")
def page(finished, tmp_path_factory) -> Path:
    return page_of(copy_of(finished, tmp_path_factory.mktemp("page") / "project"))[0]


@pytest.fixture(name="tab")
def opened(tab: Tab, page):
    """The page, just opened; nothing may have been said on the console by the end."""
    tab.open(page)
    yield tab
    assert tab.complaints() == []


def look_for(tab: Tab, words: str, *mentions: str) -> None:
    """Type words, until these mentions are left."""
    tab.one("#words").clear()
    tab.one("#words").send_keys(words)
    tab.until(lambda: tab.mentions() == [*mentions])


def chosen(tab: Tab) -> str:
    return tab.one(".item.chosen .what").get_attribute("textContent")


def test_it_opens_with_everything_in_its_place(tab):
    assert tab.browser.title == "muver: results on tiny"
    assert tab.shown("#table1 table")
    assert tab.mentions() == [given[3] for given in GIVEN]
    assert tab.one("#summary").text == (
        "6 mentions of 6; of the 6 before the outcome filter BM25 hits 3 at 1 (50.00%)."
    )
    assert tab.one("#detail h3").text == "the gate"
    assert tab.one(".context").text == "in spring the gate was forged ."
    assert tab.one("mark.mention").text == "the gate"


def test_a_drawing_is_in_the_page(tab):
    assert tab.run("return document.querySelector('#table4 img.drawing').naturalWidth") > 0


def test_texts_of_the_data_stay_texts(tab):
    tab.choose("row", "muver")
    look_for(tab, "bold", "<b>bold</b>")
    assert tab.one("#detail h3").text == "<b>bold</b>"
    assert SCRIPT in tab.one(".gold-entity").text
    assert SCRIPT in tab.texts(".candidate.gold strong")
    assert tab.browser.title == "muver: results on tiny"
    assert tab.all("#detail b") == []


def test_the_view_that_won_is_marked(tab):
    tab.choose("row", "muver")
    look_for(tab, "m2", "a bell")
    first = tab.all(".candidate")[0]
    assert "gold" in first.get_attribute("class").split()
    assert "✓ gold" in first.text and "score 1" in first.text
    assert "view of sentences 2 to 3, merged in layer 1" in first.text
    assert tab.texts(".candidate:first-child mark.view") == [
        "Its bell rings.",
        "Ravens live there.",
    ]
    assert "A tower of stone." in first.text and "It is old." in first.text
    second = tab.texts(".candidate:nth-child(2) mark.view")
    assert second == ["It has two wings."]


def test_other_views_are_named_and_marked(tab):
    tab.choose("row", "muver")
    look_for(tab, "m3", "<b>bold</b>")
    assert "global view: at most the first 4 word pieces" in tab.texts(".candidate.gold .hint")[0]
    assert tab.texts(".candidate.gold mark.view") == ["This title is no"]
    look_for(tab, "m5", "the oak")
    assert "view of sentences 1 to 2, merged in layer 2" in tab.texts(".candidate.gold .hint")[0]
    tab.choose("row", "bm25")
    assert tab.until(lambda: tab.shown("#detail .problem"))
    assert "not among the 3 candidates" in tab.one("#detail .problem").text
    look_for(tab, "m1", "the gate")
    assert tab.texts(".candidate.gold mark.word") == ["gate"]  # not "the"
    assert "no views" in tab.texts(".candidate.gold .hint")[0]


def test_the_whole_description_opens(tab):
    tab.choose("row", "muver")
    details = tab.one(".candidate.gold details")
    details.find_element("css selector", "summary").click()
    tab.until(lambda: tab.shown(".candidate.gold details .description"))
    assert details.text.endswith(
        "The gate was forged in spring. It has two wings. Few pass it at night."
    )


FILTERS = [
    ({"world": "birch"}, ["the lake", "the oak", "the mill"]),
    ({"category": "HIGH_OVERLAP"}, ["the gate", "the lake", "the mill"]),
    ({"outcome": "miss"}, ["a bell", "the oak", "the mill"]),
    ({"outcome": "miss", "cutoff": "2"}, ["the oak", "the mill"]),
    ({"outcome": "hit", "row": "muver", "world": "alder"}, ["the gate", "a bell"]),
    ({"other": "muver", "outcome": "lost"}, ["a bell", "the oak", "the mill"]),
    ({"other": "muver", "outcome": "won"}, ["<b>bold</b>", "the lake"]),
    ({"other": "muver", "outcome": "both"}, ["the gate"]),
    ({"other": "muver", "outcome": "neither"}, []),
    ({"other": "muver", "cutoff": "3", "outcome": "lost"}, ["the oak"]),
]


def test_filters(tab):
    for fields, expected in FILTERS:
        tab.run("location.hash = '#explore&row=bm25&k=1'")
        tab.until(lambda: len(tab.mentions()) == 6)
        # The other row offers more outcomes.
        for field in sorted(fields, key=lambda field: field == "outcome"):
            tab.choose(field, fields[field])
        tab.until(lambda expected=expected: tab.mentions() == expected)
        assert tab.one("#summary").text.startswith(f"{len(expected)} mention")
        assert tab.shown(".candidate") == bool(expected)


def test_filters_of_length_and_text_and_their_reset(tab):
    tab.one("#least").send_keys("3")
    tab.until(lambda: tab.mentions() == ["the gate", "a bell"])
    tab.one("#most").send_keys("3")
    tab.until(lambda: tab.mentions() == ["the gate"])
    tab.one("button[type=reset]").click()
    tab.until(lambda: len(tab.mentions()) == 6)
    look_for(tab, "FISH lake", "the lake")


def test_two_rows_compared(tab):
    tab.choose("other", "muver")
    tab.until(lambda: tab.shown("#contrast"))
    assert tab.texts("#contrast .count") == ["+ won 2", "− lost 3", "= both 1", "∅ neither 0"]
    # 2 against 3 of 5: any split is at least as far from even, so p is 1.
    assert "BM25 against MuVER at 1: −16.67 points, p = 1.000" in tab.one("#contrast").text
    assert [e.text.split()[0] for e in tab.all(".columns h4")] == ["BM25", "MuVER"]
    assert "rank 1 in the other row" in tab.texts(".candidate .hint")[0]
    tab.one("#contrast .won").click()
    tab.until(lambda: tab.mentions() == ["<b>bold</b>", "the lake"])
    assert tab.one("#contrast .won").get_attribute("aria-pressed") == "true"
    look_for(tab, "nothing of the kind")
    assert not tab.shown("#contrast")  # nothing is selected, so there is no p-value


def test_p_values_are_those_of_the_tables(tab, page):
    source = page.read_text(encoding="utf-8")
    code = source[source.index("function signTest") : source.index("function probability")]
    for won, lost in [(0, 0), (0, 5), (5, 0), (2, 3), (10, 31), (300, 200), (900, 1100)]:
        ahead = np.repeat([1, -1], [won, lost])  # documents of one mention each
        found = tab.run(f"{code} return signTest(arguments[0], arguments[1]);", won, lost)
        assert found == pytest.approx(randomisation_test(ahead), rel=1e-9)


def test_keys_move_through_the_list(tab):
    tab.run("document.getElementById('list').focus()")
    for key, expected in [
        (Keys.ARROW_DOWN, "a bell"),
        (Keys.ARROW_DOWN, "<b>bold</b>"),
        (Keys.ARROW_UP, "a bell"),
        (Keys.END, "the mill"),
        (Keys.ARROW_DOWN, "the mill"),
        (Keys.HOME, "the gate"),
        (Keys.ARROW_UP, "the gate"),
        (Keys.PAGE_DOWN, "the mill"),
    ]:
        tab.press(key)
        tab.until(lambda expected=expected: chosen(tab) == expected)
        assert tab.one("#detail h3").text == expected
    active = tab.one("#list").get_attribute("aria-activedescendant")
    item = tab.one(f"#{active}")
    assert (item.get_attribute("aria-selected"), item.get_attribute("aria-posinset")) == (
        "true",
        "6",
    )
    tab.press(Keys.ENTER)
    assert tab.browser.switch_to.active_element.get_attribute("id") == "detail"
    tab.press(Keys.ESCAPE)
    assert tab.browser.switch_to.active_element.get_attribute("id") == "list"


def test_everything_is_reached_by_tab_in_the_order_of_the_page(tab):
    tab.press(Keys.TAB)
    first = tab.browser.switch_to.active_element
    assert first.text == "Skip to the tables" and first.is_displayed()
    tab.press(Keys.TAB, Keys.ENTER)
    order = []
    for _ in range(12):
        tab.press(Keys.TAB)
        order.append(tab.browser.switch_to.active_element.get_attribute("id"))
    assert order[:6] == ["row", "other", "cutoff", "outcome", "world", "category"]
    assert order.index("least") < order.index("most") < order.index("words") < order.index("list")
    outline = tab.run("return getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    nameless = tab.run(
        "return [...document.querySelectorAll('input, select, button, a, [role=listbox]')]"
        ".filter((e) => !(e.labels && e.labels.length) && !e.getAttribute('aria-label')"
        " && !e.textContent.trim()).map((e) => e.outerHTML)"
    )
    assert nameless == []


def test_a_phone_needs_no_sideways_scrolling(tab):
    tab.choose("other", "muver")
    for width in (320, 390, 768):
        tab.width(width)
        assert tab.run("return document.documentElement.scrollWidth") <= width
        beyond = tab.run(
            "return [...document.querySelectorAll('#explorer *')].filter((e) => "
            "e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80))"
        )
        assert beyond == []
        lefts = {round(column.rect["x"]) for column in tab.all(".columns > section")}
        assert len(lefts) == 1  # one below the other


def test_the_method_stays_in_view_on_a_phone(tab):
    tab.width(390)
    tab.run("document.querySelector('#table1 .scroll').scrollLeft = 150")
    lefts, heights = tab.run(
        "const rows = [...document.querySelectorAll('#table1 .recall tbody tr')];"
        "const left = (element) => element.getBoundingClientRect().left;"
        "return [rows.map((row) => left(row.cells[0]) - left(row.closest('.scroll'))),"
        " rows.map((row) => row.offsetHeight)]"
    )
    assert lefts == [0] * len(lefts)
    assert max(heights) <= 80


def test_on_paper_the_tables_and_the_chosen_mention(tab):
    tab.media("print")
    tab.width(703)  # A4 between margins of 12 mm
    assert tab.run("return document.documentElement.scrollWidth") <= 703
    for gone in ("#filters", "#list", "nav", ".copy", "#base-form", "#contrast"):
        assert not tab.shown(gone)
    for stays in ("#table1 table", "#detail h3", ".candidate", "mark.view, mark.word"):
        assert tab.shown(stays)


def test_colours_stand_out_by_the_ratio_that_accessibility_asks_for(tab):
    """At least 4.5 to 1 for text on what it stands on (WCAG 2.2, 1.4.3), light and dark."""
    pairs = [
        ("text", "page"), ("soft", "page"), ("soft", "raised"), ("link", "page"),
        ("good", "good-page"), ("fair", "fair-page"), ("bad", "bad-page"), ("bad", "page"),
        ("good", "page"), ("text", "view"), ("text", "word"), ("text", "chosen"),
        ("soft", "chosen"), ("good", "chosen"), ("bad", "chosen"),
    ]  # fmt: skip
    for scheme in ("light", "dark"):
        tab.media(scheme=scheme)
        for front, back in pairs:
            colours = [colour(tab, name) for name in (front, back)]
            assert contrast(*colours) >= 4.5, (scheme, front, back)
    page, text = tab.run(
        "const style = getComputedStyle(document.body);"
        "const light = (c) => c.match(/[\\d.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);"
        "return [light(style.backgroundColor), light(style.color)]"
    )
    assert page < 150 < 600 < text  # dark it is


def colour(tab: Tab, name: str) -> str:
    style = "getComputedStyle(document.documentElement)"
    return tab.run(f"return {style}.getPropertyValue('--{name}')").strip()


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_an_address_leads_to_a_prediction_and_back(tab, page):
    tab.open(page, "#explore&row=muver&other=bm25&k=2&mention=m5")
    tab.until(lambda: tab.one("#detail h3").text == "the oak")
    assert tab.one("#row").get_attribute("value") == "muver"
    assert tab.one("#other").get_attribute("value") == "bm25"
    tab.run("document.getElementById('list').focus()")
    tab.press(Keys.ARROW_DOWN)
    tab.until(lambda: "mention=m6" in tab.browser.current_url)
    tab.run("location.hash = '#explore&row=bm25&mention=m1'")
    tab.until(lambda: tab.one("#detail h3").text == "the gate")


def test_an_address_holds_the_filters(tab, page):
    for field, value in [("other", "bm25"), ("row", "muver"), ("outcome", "won")]:
        tab.choose(field, value)
    tab.choose("world", "birch")
    tab.one("#words").send_keys("oak")
    tab.until(lambda: "text=oak" in tab.browser.current_url)
    assert tab.mentions() == ["the oak"]
    fragment = tab.browser.current_url.partition("#")[2]
    assert "world=birch" in fragment and "outcome=won" in fragment
    tab.open(page, f"#{fragment}")
    tab.until(lambda: tab.mentions() == ["the oak"])
    assert tab.one("#outcome").get_attribute("value") == "won"
    tab.run("location.hash = '#explore&row=bm25&world=nowhere'")
    tab.until(lambda: len(tab.mentions()) == 6)
    assert [tab.one(f"#{field}").get_attribute("value") for field in ("other", "world")] == ["", ""]


def test_links_to_the_predictions_land_at_their_heading(tab, page):
    tab.width(390)
    for link in ("nav a[href='#predictions']", "#row-{} a[href^='#explore']"):
        key = tab.one("#table1 a.key").get_attribute("href").partition("#row-")[2]
        tab.run("document.querySelector(arguments[0]).click()", link.format(key))
        tab.until(lambda: abs(top(tab)) < 2)
    tab.open(page, "#predictions")
    tab.until(lambda: abs(top(tab)) < 2)


def top(tab: Tab) -> float:
    return tab.run("return document.getElementById('predictions').getBoundingClientRect().top")


def test_rows_lead_to_mlflow_wherever_it_is(tab):
    link = tab.one("#table1 a.mlflow")
    assert link.get_attribute("href") == "http://127.0.0.1:5000/#/experiments/1/runs/r1"
    field = tab.one("#base")
    field.clear()
    field.send_keys("https://example.org/mlflow/")
    expected = "https://example.org/mlflow/#/experiments/1/runs/r1"
    assert link.get_attribute("href") == expected
    field.clear()
    field.send_keys("javascript:alert(1)")
    assert link.get_attribute("href") == expected
    assert field.get_attribute("aria-invalid") == "true"
    field.clear()
    field.send_keys("http://127.0.0.1:5000")


def test_a_search_is_copied_and_a_row_opens(tab):
    button = tab.one("#table1 button.copy")
    search = button.get_attribute("data-copy")
    assert search.startswith("tags.row_key = '")
    button.click()
    tab.until(lambda: tab.one("#copied").text == f"Copied: {search}")
    key = tab.one("#table1 a.key")
    row = tab.one(key.get_attribute("href").partition("#")[2].join(["#", ""]))
    assert row.get_attribute("open") is None
    key.click()
    tab.until(lambda: row.get_attribute("open") is not None)
    assert "SHA-256 of the run file" in row.text


def test_a_browser_that_cannot_unpack_says_so(tab):
    script = {"source": "delete window.DecompressionStream;"}
    added = tab.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
    try:
        tab.browser.refresh()
        tab.until(lambda: tab.shown("#loading.problem"))
        assert "cannot unpack the data (no DecompressionStream)" in tab.one("#loading").text
        assert tab.shown("#table1 table")
    finally:
        tab.browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_a_page_without_predictions_has_links_all_the_same(tab, project):
    project.corpus("mentions.parquet").unlink()
    tab.visit(page_of(project)[0].as_uri())
    assert "problem" in tab.one("#problems").text
    tab.one("#table1 button.copy").click()
    tab.until(lambda: tab.one("#copied").text.startswith("Copied: "))
