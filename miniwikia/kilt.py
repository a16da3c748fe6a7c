"""Worlds as pages of one encyclopedia in KILT's format, with benchmarks in BLINK's.

Some pages are made but not written: mentions that link to them have their gold outside the
knowledge base. Some mentions name a page by its title alone, with the id of no page.
"""

import json
from itertools import islice
from typing import Any, NamedTuple

from miniwikia.chance import Chance, mixed
from miniwikia.pages import Link, Page, PageWriter
from miniwikia.world import World
from muver.io.errors import InputError

SECTIONS = ("History", "Description", "Early days", "Legacy", "Reception", "Notes")
UNWRITTEN = 50  # one page in so many, at least one per world, is left out of the dump
BY_TITLE = 0.04  # share of mentions whose id belongs to no page
NO_PAGE = 10**9  # added to a page's id, gives one that no page has
LABEL_KEYS = ("wnedwiki",)  # sets whose lines name the gold by label_id and label_title
_SPACED = [(f" {mark}", mark) for mark in ".,;:?!)"] + [("( ", "(")]


class Plan(NamedTuple):
    """What one world contributes: ``size`` pages, and how many mentions to each set.

    ``first`` is the number of its first page among all pages made.
    """

    seed: int
    name: str
    first: int
    size: int
    mentions: dict[str, int]


class Mention(NamedTuple):
    """A benchmark line without its gold, which is page ``target`` of the world.

    ``kind`` tells how the gold can be found: "id", "title" or "none".
    """

    record: dict[str, str]
    target: int
    kind: str


class Output(NamedTuple):
    """A world's pages, as titles and paragraphs (None: not written), and its mentions by set."""

    plan: Plan
    titles: list[str]
    paragraphs: list[list[str] | None]
    mentions: dict[str, list[Mention]]


def made_pages(size: int) -> int:
    """How many pages are made for a world that writes ``size``."""
    return size + max(1, size // UNWRITTEN)


def page_id(number: int) -> int:
    """The id of a page by its number; ids rise with gaps, as Wikipedia's do."""
    return 12 + 3 * number + mixed(number) % 3


def make_world(plan: Plan) -> Output:
    made = made_pages(plan.size)
    world = World(plan.seed, plan.name, made)
    every = made // (made - plan.size)
    unwritten = {every // 2 + every * position for position in range(made - plan.size)}
    writer = PageWriter(world)
    paragraphs: list[list[str] | None] = []
    links: list[Link] = []
    for number in range(made):
        page = writer.write(number)
        links += page.links
        text = None if number in unwritten else _paragraphs(page, world.chance("kilt", number))
        paragraphs.append(text)
    wanted = sum(plan.mentions.values())
    if len(links) < wanted:
        raise InputError(
            f"mentions: {wanted} asked of world '{plan.name}', whose pages have "
            f"{len(links)} links. Ask for fewer, or raise entities."
        )
    chance = world.chance("kilt", "mentions")
    chosen = iter(chance.shuffled(links)[:wanted])
    mentions = {
        name: [_mention(plan.name, writer, link, unwritten, chance) for link in islice(chosen, n)]
        for name, n in plan.mentions.items()
    }
    return Output(plan, [entity.title for entity in world.entities], paragraphs, mentions)


def page_line(number: int, title: str, paragraphs: list[str]) -> bytes:
    """A page as a line of KILT's knowledge source."""
    identity = str(page_id(number))
    page = {
        "_id": identity,
        "wikipedia_id": identity,
        "wikipedia_title": title,
        "text": [f"{title}\n", *paragraphs],
        "anchors": [],
        "categories": "",
    }
    return json.dumps(page, ensure_ascii=False).encode("utf-8") + b"\n"


def gold_of(set_name: str, mention: Mention, identity: int, title: str) -> dict[str, Any]:
    """The keys that name a mention's gold entity, as the set's release spells them."""
    if mention.kind == "title":
        identity += NO_PAGE
        title = title[:1].lower() + title[1:].replace(" ", "_")
    if set_name in LABEL_KEYS:
        return {"label": "unknown", "label_id": identity, "label_title": title}
    return {"Wikipedia_ID": str(identity), "Wikipedia_title": title}


def _paragraphs(page: Page, chance: Chance) -> list[str]:
    """A page's paragraphs after the title, mixed with section headings and bullet items."""
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
        for spaced, plain in _SPACED:  # running text has no space before punctuation
            text = text.replace(spaced, plain)
        result.append(f"BULLET::::- {text}\n" if bullet else f"{text}\n")
        at += count
    return result


def _mention(
    world: str, writer: PageWriter, link: Link, unwritten: set[int], chance: Chance
) -> Mention:
    page = writer.write(link.page)  # again: this is cheaper than keeping all pages
    tokens = page.text.split(" ")
    by_title = chance.random() < BY_TITLE
    record = {
        "context_left": " ".join(tokens[page.starts[0] : link.start]),
        "mention": link.text,
        "context_right": " ".join(tokens[link.end + 1 :]),
        "query_id": f"{world}:{link.page}:{link.start}",
    }
    kind = "none" if link.target in unwritten else "title" if by_title else "id"
    return Mention(record, link.target, kind)
