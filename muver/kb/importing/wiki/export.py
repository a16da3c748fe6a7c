"""MediaWiki's XML exports: cut into batches of whole pages, and these parsed.

An export may be larger than memory, and one XML parser for all of it would keep a processor busy
and others idle. So the bytes are cut where pages end: ``</page>`` is never part of a text, where
``<`` is escaped. The format is that of https://www.mediawiki.org/wiki/Help:Export.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from muver.io.errors import InputError
from muver.kb.importing.items import LeftOut
from muver.kb.importing.opening import LONGEST_LINE, PIECE, cut_off, opened_dump, too_long
from muver.kb.importing.settings import Given
from muver.kb.importing.wiki.titles import Wiki

BATCH = 1 << 20  # bytes, at least
START, END, FOOT = b"<page>", b"</page>", b"</mediawiki>"


class Source(Struct):
    """A page as the export has it; ``redirect`` is the title that it leads to."""

    id: str
    title: str
    namespace: int | None
    redirect: str | None
    model: str
    text: str | None


def batches(path: Path, given: Given) -> Iterator[bytes]:
    """The head of the export, then bytes of whole pages, about `BATCH` at once."""
    held, head = bytearray(), True
    for piece in _pieces(path, given):
        searched = max(0, len(held) - len(END))
        held += piece
        if head:
            start = held.find(START, searched)
            if b"<mediawiki" not in held[: 1 << 16]:
                raise InputError(
                    f"{path}: no export of MediaWiki (no <mediawiki> at its beginning). Expected "
                    "what Special:Export or dumpBackup.php writes, such as "
                    "enwiki-latest-pages-articles.xml.bz2."
                )
            if start < 0:
                if len(held) > LONGEST_LINE:
                    raise too_long(path, "what is before the first <page>")
                continue
            yield bytes(held[:start])
            del held[:start]
            head, searched = False, 0
        if len(held) >= BATCH and (end := held.rfind(END, searched)) >= 0:
            end += len(END)
            yield bytes(held[:end])
            del held[:end]
    end = held.rfind(END) + len(END) if END in held else 0
    if FOOT not in held[end:]:
        cut_off(path, "the export ends without </mediawiki>", given.settings)
    if not head and end:
        yield bytes(held[:end])


def _pieces(path: Path, given: Given) -> Iterator[bytes]:
    with opened_dump(path, given.settings) as stream:
        while piece := stream.read(PIECE):
            yield piece


def wiki_of(head: bytes, path: Path, given: Given) -> Wiki:
    """What the head of an export says of the wiki."""
    start = head.find(b"<siteinfo>")
    if start < 0:  # written by hand, or cut from a dump
        return Wiki(given.world_of(path), {}, {})
    end = head.find(b"</siteinfo>", start) + len(b"</siteinfo>")
    try:
        info = ET.fromstring(head[start:end])
    except ET.ParseError as error:
        raise InputError(f"{path}: its <siteinfo> is no valid XML ({error}).") from None
    found = info.findall("namespaces/namespace")
    keys = [_number(one.get("key", "0")) for one in found]
    names = {key: one.text for key, one in zip(keys, found, strict=True) if one.text}
    names.pop(None, None)
    return Wiki(
        world=given.world or info.findtext("dbname") or given.world_of(path),
        namespaces={name.lower(): key for key, name in names.items()},
        names=names,
        first_letter=info.findtext("case") != "case-sensitive",
    )


def read_pages(batch: bytes) -> Iterator[Source | LeftOut]:
    """The pages of a batch; one that is no valid XML is left out alone."""
    try:
        elements = _parsed(batch)
    except ET.ParseError:
        for page in batch.split(END):
            if START not in page:
                continue
            try:
                yield from map(_source, _parsed(page + END))
            except ET.ParseError as error:
                title = page.partition(b"<title>")[2].partition(b"</title>")[0]
                place = f"page {title.decode(errors='replace')!r}"
                yield LeftOut("pages that are no valid XML", f"{place}: {error}")
        return
    yield from map(_source, elements)


def _parsed(pages: bytes) -> ET.Element:
    return ET.fromstring(b"<pages>" + pages + b"</pages>")


def _source(page: ET.Element) -> Source:
    redirect = page.find("redirect")
    revisions = page.findall("revision")
    last = revisions[-1] if revisions else page  # the newest of a full history
    return Source(
        id=page.findtext("id") or "",
        title=page.findtext("title") or "",
        namespace=_number(page.findtext("ns")),
        redirect=None if redirect is None else redirect.get("title"),
        model=last.findtext("model") or "wikitext",
        text=last.findtext("text"),
    )


def _number(text: str | None) -> int | None:
    """The number of a namespace; None for anything else."""
    return int(text) if re.fullmatch("-?[0-9]{1,9}", text or "") else None
