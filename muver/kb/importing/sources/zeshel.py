"""``documents/<world>.json`` of ZESHEL's format (Logeswaran et al., ACL 2019): an entity a line.

A document may also have a ``type``, which ZESHEL's own documents lack.
"""

from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType

from muver.kb.importing.items import Entity
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import read_json_lines


class _Document(Struct):
    document_id: str
    title: str
    text: str
    type: str | UnsetType = UNSET


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read the documents of a world, which the file's name tells."""
    world = given.world_of(path)
    for number, one in read_json_lines(path, _Document):
        further = {} if one.type is UNSET else {"type": one.type}
        place = f"line {number}"
        yield Entity(one.document_id, one.title, one.text, place, world, further=further)
