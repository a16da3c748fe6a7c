"""Worlds written as files in ZESHEL's format."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from muver.corpus.miniwikia.pages import Link, PageWriter
from muver.corpus.miniwikia.settings import Settings
from muver.corpus.miniwikia.surfaces import category
from muver.corpus.miniwikia.world import World
from muver.corpus.splits import SPLITS
from muver.io.errors import InputError
from muver.io.files import atomic_path
from muver.io.progress import Progress


def write(settings: Settings, folder: Path) -> None:
    """Write ``documents/<world>.json`` and ``mentions/{train,val,test}.json``.

    Pages are written as they are made. A world's links are all mentions that it could give; a
    shuffled list's first ones are taken, so that a world's files do not depend on the others.
    """
    total = settings.entities_per_world * sum(map(len, settings.worlds.values()))
    progress = Progress("generate", total, "entities")
    words: dict[str, str] = {}
    for split in SPLITS:
        mentions: list[dict[str, Any]] = []
        for position, name in enumerate(settings.worlds[split]):
            world = World(settings.seed, name, settings.entities_per_world)
            check_disjoint(world, words)
            links = write_documents(world, folder / "documents" / f"{name}.json", progress)
            wanted = quota(settings.mentions[split], len(settings.worlds[split]), position)
            if len(links) < wanted:
                raise InputError(
                    f"miniwikia: 'mentions.{split}': {wanted} mentions asked of world '{name}', "
                    f"whose {len(world.entities)} pages have {len(links)} links. Ask for fewer, "
                    "or raise 'entities_per_world'."
                )
            chosen = world.chance("mentions").shuffled(links)[:wanted]
            mentions.extend(mention(world, link) for link in chosen)
        write_lines(folder / "mentions" / f"{split}.json", mentions)
    progress.finish()


def quota(total: int, worlds: int, position: int) -> int:
    """Mentions of one of a split's worlds: equal shares, the first worlds take what remains."""
    return total // worlds + (position < total % worlds)


def check_disjoint(world: World, words: dict[str, str]) -> None:
    """Add a world's name words (lower-cased) to those of the others, or say which two share one."""
    for word in world.words:
        other = words.setdefault(word.lower(), world.name)
        if other != world.name:
            raise InputError(
                f"miniwikia: the worlds '{other}' and '{world.name}' would share the name "
                f"'{word}'. Rename one of the two, or take another seed."
            )


def write_documents(world: World, path: Path, progress: Progress) -> list[Link]:
    """Write a world's pages, a line each, and return the links in them."""
    pages = PageWriter(world)
    links: list[Link] = []

    def lines() -> Iterable[dict[str, Any]]:
        for number in range(len(world.entities)):
            page = pages.write(number)
            links.extend(page.links)
            progress.advance(note=world.name)
            identity = document_id(world, number)
            yield {"document_id": identity, "title": page.title, "text": page.text}

    write_lines(path, lines())
    return links


def mention(world: World, link: Link) -> dict[str, Any]:
    """A link as a line of ZESHEL's mention files."""
    return {
        "mention_id": identifier(world, "mention", link.page, link.start),
        "context_document_id": document_id(world, link.page),
        "label_document_id": document_id(world, link.target),
        "text": link.text,
        "start_index": link.start,
        "end_index": link.end,
        "corpus": world.name,
        "category": category(link.text, world.entities[link.target].title),
    }


def document_id(world: World, number: int) -> str:
    """The id of an entity's page."""
    return identifier(world, "document", number)


def identifier(world: World, *parts: str | int) -> str:
    """Sixteen hexadecimal digits, as ZESHEL's ids are."""
    text = "/".join(str(part) for part in (world.seed, world.name, *parts))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16].upper()


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines, keys in the order given."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")
