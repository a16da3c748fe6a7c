"""The page in a real browser."""

from dataclasses import replace

import pytest
from selenium.webdriver.common.keys import Keys

from muver.kb.serve.models import open_models
from tests.kb.serve.conftest import TOKEN, calibrate, running

TEXT = "In spring the smith forged the gate for Anna."


@pytest.fixture
def open_page(tab):
    """Opens a service's page; nothing may have been said on the console by the end."""
    expected = []

    def opened(service, *said):
        expected.extend(said)
        tab.visit(service.address)
        tab.until(lambda: tab.texts("#model option"))
        return tab

    yield opened
    assert [one for one in tab.complaints() if not any(own in one for own in expected)] == []


def ask(tab, mention="the smith", text=TEXT, shown=".candidate"):
    """Write a text and select a mention in it as a mouse does; wait for what is shown."""
    tab.run(
        "const area = document.getElementById('text');"
        "area.value = arguments[0];"
        "area.focus();"
        "const start = area.value.indexOf(arguments[1]);"
        "area.setSelectionRange(start, start + arguments[1].length);",
        text,
        mention,
    )
    tab.until(lambda: tab.shown(shown))


def titles(tab, column=0):
    script = "return [...document.querySelectorAll('#columns section')].map((one) => " \
        "[...one.querySelectorAll('.title strong')].map((title) => title.textContent))"  # fmt: skip
    return tab.run(script)[column]


def test_a_selected_mention_gives_ranked_entities_and_what_each_view_adds(open_page, town):
    tab = open_page(town)
    assert not tab.shown("#beside-field") and not tab.shown("#world-field")
    ask(tab)
    assert titles(tab)[0] == "Anna Berg"
    first = tab.one(".candidate")
    assert "1.\nAnna Berg\nscore 0.77" in first.text
    assert "smith · town · view of sentence 2" in first.text
    assert "likely" not in first.text
    assert tab.texts(".candidate:first-child mark.view") == ["She forged the gate in spring."]
    assert tab.texts("#mention mark") == ["the smith"]
    assert tab.one("#status").text == "3 entities for “the smith”, first Anna Berg."
    tab.one(".candidate summary").click()
    tab.until(lambda: tab.all(".views li"))
    won, other = (one.text for one in tab.all(".views li"))
    assert won.startswith(
        "★ She forged the gate in spring.\nview of sentence 2\n"
        "100 % of the views’ score, similarity 31."
    )
    assert other.startswith("Anna lives by the river.\nview of sentence 1\n0 % of the views’ score")
    assert tab.texts(".whole mark") == ["She forged the gate in spring."]
    turned = tab.run(
        "const mark = document.querySelector('#mention mark'), rest = document.createRange();"
        "mark.textContent = '\\u202eexe.png';"
        "rest.selectNode(mark.nextSibling);"
        "return mark.getBoundingClientRect().right > rest.getBoundingClientRect().right"
    )
    assert not turned  # the letters that follow
    tab.width(360)  # on a phone nothing is wider than the screen
    assert tab.run("return document.documentElement.scrollWidth") <= 360


def test_all_by_keyboard(open_page, town):
    tab = open_page(town)
    tab.one("#text").send_keys(TEXT, Keys.HOME)
    tab.press(*[Keys.ARROW_RIGHT] * 20)
    tab.press(Keys.ENTER, holding=Keys.CONTROL)  # the word at the cursor
    tab.until(lambda: tab.texts("#mention mark") == ["forged"])
    tab.press(Keys.HOME)
    tab.press(*[Keys.ARROW_RIGHT] * 20, holding=Keys.SHIFT)
    tab.until(lambda: tab.texts("#mention mark") == ["In spring the smith"])
    tab.one("#find").send_keys(Keys.TAB)
    assert tab.run("return document.activeElement.textContent") == "What adds to the score"
    tab.press(Keys.ENTER)
    tab.until(lambda: tab.all(".views li"))


def test_two_models_beside_each_other(open_page):
    with running(names=("small", "large")) as service:
        large = service.service.models.named("large").index
        large.remove(["smith"], "town")
        tab = open_page(service)
        ask(tab)
        assert tab.texts("#columns h2") == ["small", "large"]
        assert titles(tab, 0) == ["Anna Berg", "North Gate", "Otto Berg"]
        assert titles(tab, 1) == ["Otto Berg", "North Gate"]
        assert "not among the first with large" in tab.all(".candidate")[0].text
        assert "rank 1 with large" in tab.all(".candidate")[2].text
        tab.choose("beside", "")
        tab.until(lambda: tab.texts("#columns h2") == ["small"])


def test_probabilities_and_none_of_these(open_page):
    with running() as service:
        calibrate(service, 0.95)
        tab = open_page(service)
        ask(tab)
        assert tab.one(".none").text == "∅ Probably none of these is meant."
        assert tab.one(".candidate .measure").text == "93 % likely"


def test_an_added_entity_is_found_and_can_be_removed(open_page):
    with running() as service:
        tab = open_page(service, "401 (Unauthorized)")
        ask(tab, "bell of bronze", "The bell of bronze rang.")
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


def test_what_took_the_place_of_another_is_not_offered_for_removal(open_page):
    with running() as service:
        tab = open_page(service)
        ask(tab)
        tab.one("#changes summary").click()
        tab.one("#add-title").send_keys("Smith")
        tab.one("#add-token").send_keys(TOKEN)
        tab.one("#add button").click()
        tab.until(lambda: "smith: updated (town, generation 2)" in tab.one("#changed").text)
        assert not tab.all("#changed button")


def test_without_a_token_file_nothing_is_offered(open_page):
    with running(token=None) as service:
        assert not open_page(service).shown("#changes")


def test_words_are_marked_where_there_are_no_views(open_page, words):
    with running(models=open_models([str(words)])) as service:
        tab = open_page(service)
        ask(tab, "bread at the gate", "Who sells bread at the gate?")
        assert tab.texts(".candidate:first-child mark.word") == ["bread", "gate"]
        tab.one(".candidate summary").click()
        tab.until(lambda: tab.all(".description.whole"))
        assert "words 1.00" in tab.one(".candidate details").text
        ask(tab, "zebra", "A zebra.", shown="#columns .hint")
        tab.until(lambda: tab.texts("#columns .hint") == ["No entity was found."])


def test_texts_of_the_data_stay_texts(open_page):
    """In every field of an entity, in the name of an index and in what is asked."""
    broken = "<img src=x onerror='document.title = 1'><script>document.title = 1</script>"
    with running(names=(f"town {broken}",)) as service:
        index = service.service.models.named(None).index
        smith = index.entity("smith")
        text = f"{broken} smith. X."
        texts = {"title": f"<b>Anna</b>{broken}", "id": f"'\"/{broken}", "aliases": (broken,)}
        index.update([replace(smith, description=text, **texts)])
        tab = open_page(service)
        ask(tab, "smith", f"<i>smith</i> &amp; co{broken}")
        assert titles(tab)[0] == texts["title"]
        tab.one(".candidate summary").click()
        tab.until(lambda: tab.all(".description.whole"))
        shown = tab.one(".candidate").text
        assert all(one in shown for one in (text, texts["id"], f"Also called {broken}."))
        assert tab.one("#mention").text == f"<i>smith</i> &amp; co{broken}"
        assert tab.texts("#columns h2") == [f"town {broken}"]
        assert not tab.all("img, #columns script, #columns b, #mention i")
        assert tab.run("return document.title") != "1"


def test_what_goes_wrong_is_told(open_page):
    with running({"characters": 20}) as service:
        tab = open_page(service, "422 (Unprocessable")
        ask(tab, shown="#columns .problem")
        assert tab.one("#columns .problem").text.startswith("mentions.0: 45 characters")
