"""JSON lines of entities as `kb.importing.items` has them, with the links of their descriptions."""

from collections.abc import Iterator
from pathlib import Path

from muver.io.errors import InputError
from muver.kb.importing.items import Entity
from muver.kb.importing.settings import Given
from muver.retriever.corpus.jsonl import read_json_lines


def entities(path: Path, given: Given) -> Iterator[Entity]:
    """Read a file; entities without a world are of the one given, or of the file's name."""
    for number, entity in read_json_lines(path, Entity):
        at = [0, *(end for one in entity.links for end in (one.start, one.end))]
        if at != sorted(at) or at[-1] > len(entity.description):
            raise InputError(
                f"{path}, line {number}: its links overlap, are out of order or leave the "
                'description. Expected {"start": 0, "end": 4, "target": "a title"}, in characters '
                "of the description and in its order."
            )
        entity.place = entity.place or f"line {number}"
        entity.world = entity.world or given.world_of(path)
        yield entity
