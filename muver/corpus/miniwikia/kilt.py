"""Worlds as pages of one encyclopedia in KILT's shape, with benchmarks in BLINK's over them.

A part of the pages is made but not written: what links to them has its gold outside the knowledge
base. Some links name a page by its title only, their id being of no page.
"""

import json
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from muver.corpus.miniwikia.chance import Chance, mixed
from muver.corpus.miniwikia.pages import Link, Page, PageWriter
from muver.corpus.miniwikia.world import World
from muver.io.errors import InputError

SECTIONS = ("History", "Description", "Early days", "Legacy", "Reception", "Notes")
UNWRITTEN = 50  # one page of so many (one at least in a world) is left out of the dump
BY_TITLE = 0.04  # share of mentions whose id is of no page
NO_PAGE = 10**9  # added to an id, gives that of no page
LABEL_KEYS = ("wnedwiki",)  # sets whose lines name the gold by label_id and label_title
_SPACED = [(f" {mark}", mark) for mark in ".,;:?!)"] + [("( ", "(")]


class Plan(NamedTuple):
    """What one world is to give.

    Attributes
    ----------
    first
        Number of its first page among all made.
    size
        Pages to write.
    mentions
        By set, how many.
    """

    seed: int
    name: str
    first: int
    size: int
    mentions: dict[str, int]


class Mention(NamedTuple):
    """A benchmark line without its gold, and which page of the world that is, found how."""

    record: dict[str, str]
    target: int
    kind: str  # "id", "title", "none"


class Output(NamedTuple):
    """The pages of a world (None: not written) as JSON of their paragraphs, and its mentions."""

    plan: Plan
    titles: list[str]
    paragraphs: list[str | None]
    mentions: dict[str, list[Mention]]


def made_pages(size: int) -> int:
    """Pages made of a world that writes ``size``."""
    return size + max(1, size // UNWRITTEN)


def page_id(number: int) -> int:
    """The id of a page by its number: rising, with gaps as Wikipedia's."""
    return 12 + 3 * number + mixed(number) % 3


def make_world(plan: Plan) -> Output:
    """Make a world's pages and mentions; all choices are its own.

    Raises
    ------
    InputError
        If its pages have fewer links than mentions are asked for.
    """
    made = made_pages(plan.size)
    world = World(plan.seed, plan.name, made)
    every = made // (made - plan.size)
    unwritten = {every // 2 + every * position for position in range(made - plan.size)}
    pages = PageWriter(world)
    paragraphs: list[str | None] = []
    links: list[Link] = []
    for number in range(made):
        page = pages.write(number)
        links += page.links
        text = None if number in unwritten else _paragraphs(page, world.chance("kilt", number))
        paragraphs.append(text)
    titles = [entity.title for entity in world.entities]
    return Output(plan, titles, paragraphs, _mentions(plan, world, pages, links, unwritten))


def page_line(number: int, title: str, paragraphs: str) -> bytes:
    """A page as a line of KILT's knowledge source."""
    identity = page_id(number)
    first = json.dumps(title + "\n", ensure_ascii=False)
    name = json.dumps(title, ensure_ascii=False)
    line = (
        f'{{"_id": "{identity}", "wikipedia_id": "{identity}", "wikipedia_title": {name}, '
        f'"text": [{first}, {paragraphs}], "anchors": [], "categories": ""}}\n'
    )
    return line.encode("utf-8")


def gold_of(set_name: str, mention: Mention, identity: int, title: str) -> dict[str, Any]:
    """The keys that name a mention's gold entity, as the set's release spells them."""
    if mention.kind == "title":
        identity += NO_PAGE
        title = title[:1].lower() + title[1:].replace(" ", "_")
    if set_name in LABEL_KEYS:
        return {"label": "unknown", "label_id": identity, "label_title": title}
    return {"Wikipedia_ID": str(identity), "Wikipedia_title": title}


def _paragraphs(page: Page, chance: Chance) -> str:
    """JSON of a page's paragraphs after the title, without the brackets around them."""
    tokens = page.text.split(" ")
    bounds = [*page.starts, len(tokens)]
    sentences = [
        " ".join(tokens[start:stop]) for start, stop in zip(bounds, bounds[1:], strict=False)
    ]
    result: list[str] = []
    at = 0
    while at < len(sentences):
        draw = chance.random()
        if result and draw < 0.25:
            result.append(f"Section::::{chance.pick(SECTIONS)}.\n")
        bullet = result and draw > 0.85
        count = 1 if bullet else 1 + chance.below(4)
        text = " ".join(sentences[at : at + count])
        result.append(f"BULLET::::- {text}\n" if bullet else f"{text}\n")
        at += count
    text = ", ".join(json.dumps(paragraph, ensure_ascii=False) for paragraph in result)
    return _natural(text)


def _natural(text: str) -> str:
    """Running text: punctuation no longer set apart."""
    for spaced, plain in _SPACED:
        text = text.replace(spaced, plain)
    return text


def _mentions(
    plan: Plan, world: World, pages: PageWriter, links: list[Link], unwritten: set[int]
) -> dict[str, list[Mention]]:
    wanted = sum(plan.mentions.values())
    if len(links) < wanted:
        raise InputError(
            f"--settings: mentions: {wanted} asked of world '{plan.name}', whose pages have "
            f"{len(links)} links. Ask for fewer, or raise entities."
        )
    chance = world.chance("kilt", "mentions")
    chosen = iter(chance.shuffled(links)[:wanted])
    result: dict[str, list[Mention]] = {}
    for name, count in plan.mentions.items():
        result[name] = [
            _mention(plan, pages, link, unwritten, chance) for link in islice(chosen, count)
        ]
    return result


def _mention(
    plan: Plan, pages: PageWriter, link: Link, unwritten: Iterable[int], chance: Chance
) -> Mention:
    page = pages.write(link.page)  # again: keeping all pages would take more memory than time
    tokens = page.text.split(" ")
    by_title = chance.random() < BY_TITLE
    record = {
        "context_left": " ".join(tokens[page.starts[0] : link.start]),
        "mention": link.text,
        "context_right": " ".join(tokens[link.end + 1 :]),
        "query_id": f"{plan.name}:{link.page}:{link.start}",
    }
    kind = "none" if link.target in unwritten else "title" if by_title else "id"
    return Mention(record, link.target, kind)
