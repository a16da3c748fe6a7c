"""XML exports of MediaWiki: its pages are entities, its redirects are their further titles.

An export may be larger than memory, and one XML parser for all of it would keep a processor busy
and others idle. So the bytes are cut where pages end: ``</page>`` is never part of a text, where
``<`` is escaped. The format is that of https://www.mediawiki.org/wiki/Help:Export.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path

from mwparserfromhell.parser import ParserError

from muver.io.errors import InputError, quoted
from muver.kb.importing.importing_settings import Options
from muver.kb.importing.schema import Entity, Item, Redirect
from muver.kb.importing.wikitext import DISAMBIGUATION, SHOWN, Wiki, read_prose
from muver.retriever.corpus.opening import (
    BATCH,
    CUT,
    LONGEST_LINE,
    PIECE,
    LeftOut,
    in_order,
    opened,
    too_long,
)

START, END, FOOT = b"<page>", b"</page>", b"</mediawiki>"
# Exports of old wikis say it in the text alone, in the wiki's own language.
REDIRECT = re.compile(r"\s*#\w+\s*+:?\s*\[\[([^\]|]+)(?:\|[^\]]*)?\]\]", re.UNICODE)


def entities(path: Path, options: Options) -> Iterator[Item]:
    """Read an export, in several processes where asked; the order is that of the export."""
    batches = _batches(path)
    head, start, pages = next(batches).partition(START)
    wiki = _wiki_of(head, path, options)
    read = partial(_items, wiki=wiki, namespaces=options.settings.namespaces)
    for batch in in_order(read, chain([start + pages], batches), options.workers):
        yield from batch


def _batches(path: Path) -> Iterator[bytes]:
    """Bytes of whole pages, about `BATCH` at once; the first ones have the export's head."""
    held = bytearray()
    with opened(path) as stream:
        while piece := stream.read(PIECE):
            searched = max(0, len(held) - len(END))
            held += piece
            end = held.rfind(END, searched)
            if end >= 0 and len(held) >= BATCH:
                yield bytes(held[: end + len(END)])
                del held[: end + len(END)]
            elif len(held) > LONGEST_LINE:
                raise too_long(path, "what is before the next </page>")
    rest, foot, _ = bytes(held).partition(FOOT)
    if not foot:
        raise InputError(f"{path}: no export of MediaWiki that ends with </mediawiki>. {CUT}")
    yield rest


def _wiki_of(head: bytes, path: Path, options: Options) -> Wiki:
    """What the head of an export says of the wiki."""
    inside = head.partition(b"<siteinfo>")[2].partition(b"</siteinfo>")[0]  # may be left out
    try:
        info = ET.fromstring(b"<siteinfo>" + inside + b"</siteinfo>")
        namespaces = info.findall("namespaces/namespace")
        names = {int(n.get("key", 0)): n.text for n in namespaces if n.text}
    except (ET.ParseError, ValueError) as error:
        raise InputError(f"{path}: its <siteinfo> is not valid ({error}).") from None
    settings = options.settings
    return Wiki(
        world=options.world or info.findtext("dbname") or options.world_of(path),
        namespaces={name.lower(): key for key, name in names.items()},
        names=names,
        first_letter=info.findtext("case") != "case-sensitive",
        shown=SHOWN | {name.lower(): shown for name, shown in settings.shown.items()},
        marks=DISAMBIGUATION.union(name.lower() for name in settings.disambiguation),
    )


def _items(batch: bytes, wiki: Wiki, namespaces: list[int]) -> list[Item]:
    """What the pages of a batch become; one that is not valid is left out alone."""
    items: list[Item | None] = []
    for page in batch.split(START)[1:]:
        try:
            items.append(_item(ET.fromstring(START + page), wiki, namespaces))
        except (ET.ParseError, ValueError) as error:
            title = page.partition(b"<title>")[2].partition(b"</title>")[0]
            place = f"page {quoted(title.decode(errors='replace'))}"
            items.append(LeftOut("pages that are not valid", f"{place}: {error}"))
    return [item for item in items if item is not None]


def _item(page: ET.Element, wiki: Wiki, namespaces: list[int]) -> Item | None:
    identity, title = (page.findtext("id") or "").strip(), page.findtext("title") or ""
    revisions = page.findall("revision")
    newest = revisions[-1] if revisions else page  # of a full history
    text, model = newest.findtext("text"), newest.findtext("model") or "wikitext"
    place, named = f"page {quoted(title)}", wiki.page(title)
    if named is None or not identity:
        return LeftOut("pages without title or id", place)
    number = page.findtext("ns")  # exports of old wikis have none
    namespace = int(number) if number else named.namespace
    if namespace not in namespaces:
        return LeftOut(f"pages of namespace {wiki.names.get(namespace, namespace)}", place)
    if text is None or model != "wikitext":
        return LeftOut("pages without wikitext", place)
    written, redirect = REDIRECT.match(text), page.find("redirect")
    target = redirect is not None and redirect.get("title")
    try:
        # "#Take [[Flour]] and water." is an item of a list: a redirect shows nothing but its link.
        if written and (redirect is not None or not read_prose(text[written.end() :], wiki).text):
            target = target or written[1]
        if target:
            leads = wiki.page(target)
            return leads and Redirect(wiki.world, title, leads.title)
        prose = read_prose(text, wiki)
    except (ParserError, RecursionError):  # the latter of templates within templates
        return LeftOut("pages that mwparserfromhell doesn't parse", place)
    in_title = title.endswith(")") and title[:-1].rpartition("(")[2].lower()
    if prose.disambiguates or in_title in wiki.marks:
        return LeftOut("disambiguation pages", place)
    return Entity(
        id=identity,
        title=title,
        description=prose.text,
        place=place,
        world=wiki.world,
        further={"categories": "\n".join(dict.fromkeys(prose.categories))},
        links=prose.links,
    )
