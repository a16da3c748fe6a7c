"""XML exports of MediaWiki: its pages are entities, its redirects are their further titles."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec

from muver.kb.importing.items import Entity, Item, LeftOut, Redirect
from muver.kb.importing.parallel import in_order
from muver.kb.importing.settings import Given, Import
from muver.kb.importing.sources import library
from muver.kb.importing.wiki.export import Source, batches, read_pages, wiki_of
from muver.kb.importing.wiki.prose import DISAMBIGUATION, SHOWN, read_prose
from muver.kb.importing.wiki.titles import Wiki

# Exports of old wikis say it in the text alone, in the wiki's own language.
REDIRECT = re.compile(r"\s*#\w+\s*+:?\s*\[\[([^\]|]+)(?:\|[^\]]*)?\]\]", re.UNICODE)


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read an export, in several processes where asked; the order is that of the export."""
    library("mwparserfromhell")  # before any process reads with it
    pages = batches(path, given)
    head = next(pages, None)
    if head is None:
        return
    read = partial(items, wiki=wiki_of(head, path, given), settings=given.settings)
    for batch in in_order(read, pages, given.workers):
        yield from batch


def items(batch: bytes, wiki: Wiki, settings: Import) -> list[Item]:
    """What the pages of a batch become."""
    shown = SHOWN | {name.lower(): names for name, names in settings.shown.items()}
    marks = DISAMBIGUATION.union(name.lower() for name in settings.disambiguation)
    found = []
    for page in read_pages(batch):
        item = page if isinstance(page, LeftOut) else _item(page, wiki, settings, shown, marks)
        if item is not None:
            found.append(item)
    return found


def _item(
    page: Source, wiki: Wiki, settings: Import, shown: dict[str, list[str]], marks: frozenset[str]
) -> Item | None:
    place = f"page {page.title!r}"
    named = wiki.page(page.title)
    if named is None or not page.id:
        return LeftOut("pages without title or id", place)
    namespace = named.namespace if page.namespace is None else page.namespace
    if namespace not in settings.namespaces:
        return LeftOut(f"pages of namespace {wiki.names.get(namespace, namespace)}", place)
    if page.text is None or page.model != "wikitext":
        return LeftOut("pages without wikitext", place)
    written = REDIRECT.match(page.text)
    if target := page.redirect or (written and written[1]):
        leads = wiki.page(target)
        return leads and Redirect(wiki.world, page.title, leads.title)
    from mwparserfromhell.parser import ParserError

    try:
        prose = read_prose(page.text, wiki, shown, marks)
    except ParserError:
        return LeftOut("pages that mwparserfromhell doesn't parse", place)
    in_title = page.title.endswith(")") and page.title[:-1].rpartition("(")[2].lower()
    if prose.disambiguates or in_title in marks:
        return LeftOut("disambiguation pages", place)
    further = {"categories": "\n".join(dict.fromkeys(prose.categories))}
    if prose.sections:
        further["sections"] = msgspec.json.encode(prose.sections).decode()
    return Entity(
        id=page.id,
        title=page.title,
        description=prose.text,
        place=place,
        world=wiki.world,
        further={name: text for name, text in further.items() if text},
        links=prose.links,
    )
