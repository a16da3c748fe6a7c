"""Markup in the texts of the data, shown in Chromium: it stays text.

Titles, sentences, mentions, worlds, categories and rows of a run, and every field of a served
index, get markup that would put an element on the page or run a script. A case holds if none is
there after each mention was looked at, and the markup can be read.
"""

import contextlib
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from campaign.plan import Case, Plan
from muver.kb.index.entity import Entity
from muver.kb.serve import app
from tests.kb.serve.conftest import running
from tests.kb.serve.test_browser import ask
from tests.reproduction.report import browser, made
from tests.reproduction.report.conftest import page_of

MARKUP = (
    "<img class=odd src=x onerror=document.title=1>", "<b class=odd>bold</b>",
    "<script class=odd>document.title=1</script>", "'\"><svg class=odd onload=document.title=1>",
    "</script><i class=odd>x</i>", "<!-- <script> --><u class=odd>", "</title><a class=odd href=x>",
    "</textarea></option></select><q class=odd>", "&lt;b class=odd&gt;", "]]><p class=odd>",
)  # fmt: skip
SAFE = "element.append(...children.filter((child) => child !== null));"
HARMFUL = """for (const child of children) {
    if (typeof child === "string") element.insertAdjacentHTML("beforeend", child);
    else if (child !== null) element.append(child);
  }"""


def attack(plan: Plan) -> Iterator[Case]:
    """The page of a run, and that of the service."""
    chrome = browser.start()
    try:
        for number, chance in plan.turns():
            tab = browser.Tab(chrome)
            folder = plan.folder / str(number)
            for kind, look in (("the report", _report), ("the service", _service)):
                with contextlib.ExitStack() as held:
                    text = look(tab, folder / kind, chance, held, plan.fault)
                    yield Case(kind, f"case {number}", _wrong(tab, text))
    finally:
        chrome.quit()


def _wrong(tab: browser.Tab, text: str) -> str:
    if odd := tab.run("return document.querySelectorAll('.odd').length"):
        return f"{odd} elements of the data"
    if tab.browser.title == "1":
        return "a script of the data was run"
    if text not in tab.run("return document.body.textContent"):
        return f"not shown: {text}"
    return "; ".join(tab.complaints())


def _report(
    tab: browser.Tab, folder: Path, chance: random.Random, held: contextlib.ExitStack, fault: bool
) -> str:
    """The page of the run made by hand, with markup in all its texts."""

    def odd(text: str, safe: bool = False) -> str:
        added = chance.choice([one for one in MARKUP if not (safe and "/" in one)])
        return f"{text} {added}"

    worlds = {world: odd(world, safe=True) for world in made.WORLDS}
    texts = {
        worlds[world]: {
            odd(title): [odd(one) for one in sentences] for title, sentences in own.items()
        }
        for world, own in made.WORLDS.items()
    }
    given = [
        (key, worlds[world], odd(left), odd(mention), odd(right), gold, odd(category))
        for key, world, left, mention, right, gold, category in made.GIVEN
    ]
    real = made.make_table

    def named(table: str, files: Any, out: Any, settings: dict[str, Any], *more: Any) -> Any:
        rows = [{**row, "method": odd(row["method"])} for row in settings.get("rows", [])]
        return real(table, files, out, {**settings, "rows": rows} if rows else settings, *more)

    for name, value in (("WORLDS", texts), ("GIVEN", given), ("make_table", named)):
        held.enter_context(mock.patch.object(made, name, value))
    path, _ = page_of(made.make_project(folder))
    if fault:
        path.write_text(path.read_text().replace(SAFE, HARMFUL))
    tab.open(path)
    for number in range(len(tab.all(".item"))):
        tab.run("document.querySelectorAll('.item')[arguments[0]]?.click()", number)
    return given[-1][3]


def _service(
    tab: browser.Tab, folder: Path, chance: random.Random, held: contextlib.ExitStack, fault: bool
) -> str:
    """The page of a service that finds an entity with markup in all its fields."""
    fit = [one for one in MARKUP if "/" not in one]  # as worlds have none
    odd = "".join(chance.sample(fit, len(fit)))
    if fault:
        folder.mkdir(parents=True)
        for one in app.SHARED.iterdir():
            (folder / one.name).write_text(one.read_text().replace(SAFE, HARMFUL))
        held.enter_context(mock.patch.object(app, "SHARED", folder))
    service = held.enter_context(running(names=(f"town {odd}",)))
    texts = {"id": odd, "title": f"Smith {odd}", "description": f"The smith {odd}. X."}
    own = Entity(**texts, aliases=[odd], world=f"town {odd}", further={odd: odd})
    service.service.models.named(None).index.update([own])
    tab.visit(service.address)
    tab.until(lambda: tab.texts("#model option"))
    ask(tab, "smith", f"The smith {odd}")
    tab.one(".candidate summary").click()
    tab.until(lambda: tab.all(".description.whole"))
    return texts["title"]
