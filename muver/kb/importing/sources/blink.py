"""BLINK's ``entity.jsonl``: JSON lines whose ``idx`` is the address of a page of Wikipedia.

The address ends with the page's id, ``https://en.wikipedia.org/wiki?curid=12``.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from muver.kb.importing.items import Entity, Item
from muver.kb.importing.lines import parsed_lines, whole_id
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import line_parser


class _Line(Struct):
    idx: str | int
    text: str
    title: str = ""


_parse = line_parser(_Line)


def entities(path: Path, given: Given) -> Iterator[Item]:
    """Read a file, in several processes where asked."""
    world = given.world_of(path)
    for place, one in parsed_lines(path, read_entity, given.workers, given.settings):
        if isinstance(one, Entity):
            one.place, one.world = f"{place}", world
        yield one


def read_entity(line: bytes) -> Entity:
    """Parse a line, ignoring ``entity`` and other keys.

    Raises BadLine if the line is not a JSON object with an id of digits and a text.

    >>> read_entity(b'{"idx": "https://en.wikipedia.org/wiki?curid=12", "text": " An idea"}').id
    '12'
    """
    one = _parse(line)
    identity = whole_id(str(one.idx).rpartition("curid=")[2].strip(), "idx")
    return Entity(identity, one.title, one.text.strip())
