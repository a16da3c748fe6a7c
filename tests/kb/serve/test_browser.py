"""The page in a real browser."""

from dataclasses import replace

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from muver.kb.serve.models import open_models
from tests.kb.serve.conftest import TOKEN, running
from tests.reproduction.report.browser import Tab, start

TEXT = "In spring the smith forged the gate for Anna."


@pytest.fixture(scope="module")
def browser():
    browser = start()
    yield browser
    browser.quit()


@pytest.fixture
def open_page(browser):
    """Opens a service's page; nothing may have been said on the console by the end."""
    tab = Tab(browser)

    def opened(service, expected=()):
        tab.expected = expected
        tab.media()
        tab.width(1280)
        browser.get("about:blank")
        browser.get_log("browser")
        browser.get(service.address)
        tab.until(lambda: tab.texts("#model option"))
        return tab

    yield opened
    assert [one for one in tab.complaints() if not any(own in one for own in tab.expected)] == []


def write(tab, text=TEXT):
    tab.run("document.getElementById('text').value = arguments[0]", text)
    tab.one("#text").click()


def select(tab, mention):
    """As a mouse does."""
    tab.run(
        "const area = document.getElementById('text');"
        "area.focus();"
        "const start = area.value.indexOf(arguments[0]);"
        "area.setSelectionRange(start, start + arguments[0].length);",
        mention,
    )


def press(tab, *keys, holding=None):
    chain = ActionChains(tab.browser)
    if holding:
        chain.key_down(holding)
    for key in keys:
        chain.send_keys(key)
    if holding:
        chain.key_up(holding)
    chain.perform()


def titles(tab, column=0):
    script = "return [...document.querySelectorAll('#columns section')].map((one) => " \
        "[...one.querySelectorAll('.title strong')].map((title) => title.textContent))"  # fmt: skip
    return tab.run(script)[column]


def test_a_selected_mention_gives_ranked_entities(open_page, town):
    tab = open_page(town)
    assert not tab.shown("#beside-field") and not tab.shown("#world-field")
    write(tab)
    select(tab, "the smith")
    tab.until(lambda: tab.all(".candidate"))
    assert titles(tab)[0] == "Anna Berg"
    first = tab.one(".candidate")
    assert "1.\nAnna Berg\nscore 5.00" in first.text
    assert "smith · town · view of sentence 2" in first.text
    assert "likely" not in first.text
    assert tab.texts(".candidate:first-child mark.view") == ["She forged the gate in spring."]
    assert tab.texts("#mention mark") == ["the smith"]
    assert tab.one("#status").text == "3 entities for “the smith”, first Anna Berg."


def test_all_by_keyboard(open_page, town):
    tab = open_page(town)
    tab.one("#text").send_keys(TEXT, Keys.HOME)
    press(tab, *[Keys.ARROW_RIGHT] * 20)
    press(tab, Keys.ENTER, holding=Keys.CONTROL)  # the word at the cursor
    tab.until(lambda: tab.texts("#mention mark") == ["forged"])
    press(tab, Keys.HOME)
    press(tab, *[Keys.ARROW_RIGHT] * 20, holding=Keys.SHIFT)
    tab.until(lambda: tab.texts("#mention mark") == ["In spring the smith"])
    tab.one("#find").send_keys(Keys.TAB)
    assert tab.run("return document.activeElement.textContent") == "What each view adds"
    press(tab, Keys.ENTER)
    tab.until(lambda: tab.all(".views li"))


def test_what_each_view_adds_and_the_whole_description(open_page, town):
    tab = open_page(town)
    write(tab)
    select(tab, "the smith")
    tab.until(lambda: tab.all(".candidate"))
    tab.one(".candidate summary").click()
    tab.until(lambda: tab.all(".views li"))
    won, other = (one.text for one in tab.all(".views li"))
    assert won == (
        "★ She forged the gate in spring.\nview of sentence 2\n100 % of the score, similarity 5.00"
    )
    assert other.startswith("Anna lives by the river\nview of sentence 1\n0 % of the score")
    assert tab.texts(".whole mark") == ["She forged the gate in spring."]


def test_two_models_beside_each_other(open_page):
    with running(names=("small", "large")) as service:
        large = service.service.models.named("large").index
        large.remove(["smith"], "town")
        tab = open_page(service)
        write(tab)
        select(tab, "the smith")
        tab.until(lambda: tab.all(".candidate"))
        assert tab.texts("#columns h2") == ["small", "large"]
        assert titles(tab, 0) == ["Anna Berg", "Otto Berg", "North Gate"]
        assert titles(tab, 1) == ["Otto Berg", "North Gate"]
        assert "not among the first with large" in tab.all(".candidate")[0].text
        assert "rank 1 with large" in tab.all(".candidate")[1].text
        tab.choose("beside", "")
        tab.until(lambda: tab.texts("#columns h2") == ["small"])


def test_probabilities_and_none_of_these(open_page):
    with running() as service:
        service.service.models.named(None).index.threshold = 0.55
        tab = open_page(service)
        write(tab)
        select(tab, "the smith")
        tab.until(lambda: tab.all(".candidate"))
        assert tab.one(".none").text == "∅ Probably none of these is meant."
        assert tab.one(".candidate .measure").text == "50 % likely"


def test_an_added_entity_is_found_and_can_be_removed(open_page):
    with running() as service:
        tab = open_page(service, ["401 (Unauthorized)"])
        write(tab, "The bell of bronze rang.")
        select(tab, "bell of bronze")
        tab.until(lambda: tab.all(".candidate"))
        tab.one("#changes summary").click()
        tab.one("#add-title").send_keys("Sea Bell")
        assert tab.one("#add-id").get_property("value") == "sea-bell"
        assert tab.one("#add-world").get_property("value") == "town"
        tab.one("#add-description").send_keys("It is a bell of bronze.")
        tab.one("#add-token").send_keys("wrong")
        tab.one("#add button").click()
        tab.until(lambda: tab.shown("#changed.problem"))
        assert "with the service's token" in tab.one("#changed").text
        tab.one("#add-token").clear()
        tab.one("#add-token").send_keys(TOKEN)
        tab.one("#add button").click()
        tab.until(lambda: tab.all(".candidate.new"))
        assert "✓ just added" in tab.all(".candidate")[0].text
        tab.until(lambda: tab.all("#changed button"))
        assert tab.one("#changed").text.startswith("sea-bell: added (town, generation 2)")
        tab.one("#changed button").click()
        tab.until(lambda: "removed" in tab.one("#changed").text)
        assert "Sea Bell" not in titles(tab)


def test_without_a_token_file_nothing_is_offered(open_page):
    with running(token=None) as service:
        assert not open_page(service).shown("#changes")


def test_words_are_marked_where_there_are_no_views(open_page, words):
    with running(models=open_models([str(words)])) as service:
        tab = open_page(service)
        write(tab, "Who sells bread at the gate?")
        select(tab, "bread at the gate")
        tab.until(lambda: tab.all(".candidate"))
        assert tab.texts(".candidate:first-child mark.word") == ["bread"]
        tab.one(".candidate summary").click()
        tab.until(lambda: tab.all(".description.whole"))
        assert "Ranked by words alone" in tab.one(".candidate details").text


def test_texts_of_the_data_stay_texts(open_page):
    with running() as service:
        index = service.service.models.named(None).index
        smith = index.entity("smith")
        text = "<script>alert(1)</script> smith. X."
        index.update([replace(smith, title="<b>Anna</b>", description=text)])
        tab = open_page(service)
        write(tab, "<i>smith</i> &amp; co")
        select(tab, "smith")
        tab.until(lambda: tab.all(".candidate"))
        assert titles(tab)[0] == "<b>Anna</b>"
        assert "<script>alert(1)</script>" in tab.one(".candidate").text
        assert tab.one("#mention").text == "<i>smith</i> &amp; co"


def test_what_goes_wrong_is_told(open_page):
    with running({"characters": 20}) as service:
        tab = open_page(service, ["422 (Unprocessable"])
        write(tab)
        select(tab, "the smith")
        tab.until(lambda: tab.shown("#columns .problem"))
        assert tab.one("#columns .problem").text.startswith("mentions.0: 45 characters")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(open_page, town, scheme):
    tab = open_page(town)
    tab.media("", scheme)
    tab.width(360)
    write(tab)
    select(tab, "the smith")
    tab.until(lambda: tab.all(".candidate"))
    tab.one(".candidate summary").click()
    tab.until(lambda: tab.all(".views li"))
    assert tab.run("return document.documentElement.scrollWidth") <= 360
