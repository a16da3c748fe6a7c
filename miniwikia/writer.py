"""Write worlds as files in ZESHEL's format."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any

from miniwikia.pages import Link, PageWriter
from miniwikia.settings import Generate
from miniwikia.world import World
from muver.io.errors import InputError
from muver.io.files import atomic_path
from muver.retriever.corpus.sources import SPLITS
from muver.retriever.corpus.texts import category

# Shares of ZESHEL's mentions (Logeswaran et al. 2019, section 3.2).
SHARES = {
    "HIGH_OVERLAP": 0.05,
    "MULTIPLE_CATEGORIES": 0.28,
    "AMBIGUOUS_SUBSTRING": 0.08,
    "LOW_OVERLAP": 0.59,
}


def generate(settings: Generate, folder: str | Path) -> None:
    """Write fictional wikis in ZESHEL's format (docs/data.md says how they are made).

    Every link of a world may become a mention. The links are put in a random order in which
    ZESHEL's categories keep their shares, and the first ones are taken, so that a world's files do
    not depend on the other worlds. ``folder`` gets ``documents/<world>.json`` and
    ``mentions/{train,val,test}.json``; equal settings give equal bytes everywhere, and a world's
    documents depend only on the seed, its name, its size and ``one_aspect``.
    """
    folder, size = Path(folder), settings.entities_per_world
    worlds = {split: getattr(settings.worlds, split) for split in SPLITS}
    words: dict[str, str] = {}
    for split, names in worlds.items():
        mentions: list[dict[str, Any]] = []
        for position, name in enumerate(names):
            world = World(settings.seed, name, size)
            _check_disjoint(world, words)
            path = folder / "documents" / f"{name}.json"
            links = _write_documents(PageWriter(world, settings.one_aspect), world, path)
            wanted = quota(getattr(settings.mentions, split), len(names), position)
            if len(links) < wanted:
                raise InputError(
                    f"mentions.{split}: {wanted} mentions asked of world '{name}', "
                    f"whose {size} pages have {len(links)} links. Ask for fewer, or raise "
                    "entities_per_world."
                )
            mentions.extend(_mention(world, link) for link in in_shares(world, links)[:wanted])
        _write_lines(folder / "mentions" / f"{split}.json", mentions)


def quota(total: int, worlds: int, position: int) -> int:
    """The share of the world at ``position``: equal shares, the first worlds take the rest."""
    return total // worlds + (position < total % worlds)


def _check_disjoint(world: World, words: dict[str, str]) -> None:
    """Add a world's words for names to ``words``, lower-cased; refuse one of another world."""
    for word in world.words:
        other = words.setdefault(word.lower(), world.name)
        if other != world.name:
            raise InputError(
                f"worlds: '{other}' and '{world.name}' would share the name "
                f"'{word}'. Rename one of the two, or take another seed."
            )


def _write_documents(pages: PageWriter, world: World, path: Path) -> list[Link]:
    """Write a world's pages, one a line, and return their links."""
    links: list[Link] = []

    def lines() -> Iterable[dict[str, Any]]:
        for number in range(len(world.entities)):
            page = pages.write(number)
            links.extend(page.links)
            identity = _identifier(world, "document", number)
            yield {"document_id": identity, "title": page.title, "text": page.text}

    _write_lines(path, lines())
    return links


def in_shares(world: World, links: list[Link]) -> list[Link]:
    """The links in random order, any stretch of it with the four categories in their SHARES.

    Once a category has no links left, the others go on without it.
    """
    taken: Counter[str] = Counter()
    places: list[float] = []
    links = world.chance("mentions").shuffled(links)
    for link in links:
        name = category(link.text, world.entities[link.target].title)
        places.append((taken[name] + 0.5) / SHARES[name])
        taken[name] += 1
    return [link for _, link in sorted(zip(places, links, strict=True), key=itemgetter(0))]


def _mention(world: World, link: Link) -> dict[str, Any]:
    """A link as a line of ZESHEL's mention files."""
    return {
        "mention_id": _identifier(world, "mention", link.page, link.start),
        "context_document_id": _identifier(world, "document", link.page),
        "label_document_id": _identifier(world, "document", link.target),
        "text": link.text,
        "start_index": link.start,
        "end_index": link.end,
        "corpus": world.name,
        "category": category(link.text, world.entities[link.target].title),
    }


def _identifier(world: World, *parts: str | int) -> str:
    """Sixteen hexadecimal digits, as ZESHEL's ids are."""
    text = "/".join(str(part) for part in (world.seed, world.name, *parts))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16].upper()


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False).encode("utf-8") + b"\n")
