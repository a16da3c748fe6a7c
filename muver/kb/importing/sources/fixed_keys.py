"""JSON lines with keys that are fixed: KILT's, BLINK's and ZESHEL's, and entities with links."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from muver.io.errors import InputError
from muver.kb.importing.importing_settings import Options
from muver.kb.importing.schema import Entity, Item
from muver.retriever.corpus.jsonl import Identity, WithIds
from muver.retriever.corpus.kilt import Page, read_page, read_text
from muver.retriever.corpus.opening import parsed_lines, read_json_lines
from muver.retriever.corpus.zeshel import Document


class _LinkedLine(WithIds, Entity):
    id: Identity


def _pages(path: Path, options: Options, read: Callable[[bytes], Page]) -> Iterator[Item]:
    for place, _, page in parsed_lines(path, read, options.workers):
        if isinstance(page, Page):
            yield Entity(page.id, page.title, "\n".join(page.paragraphs), place)
        else:
            yield page


kilt, blink = partial(_pages, read=read_page), partial(_pages, read=read_text)


def zeshel(path: Path, options: Options) -> Iterator[Entity]:
    """Read ``documents/<world>.json`` of ZESHEL's format."""
    for place, document in read_json_lines(path, Document, options.settings.encoding):
        further = {"type": document.type or ""}
        yield Entity(document.document_id, document.title, document.text, place, further=further)


def linked(path: Path, options: Options) -> Iterator[Entity]:
    """Read `muver.kb.importing.schema.Entity`, a line each, with the links of descriptions."""
    for place, entity in read_json_lines(path, _LinkedLine, options.settings.encoding):
        at = [0, *(end for link in entity.links for end in (link.start, link.end))]
        if at != sorted(at) or at[-1] > len(entity.description):
            raise InputError(
                f"{path}, {place}: its links overlap, are out of order or leave the description; "
                "start and end count its characters from 0."
            )
        entity.place = entity.place or place
        yield entity
