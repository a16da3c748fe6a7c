"""A row of the workflow as an index: what answers a mention, and what explains an answer."""

from dataclasses import replace
from functools import cached_property

from muver.kb.index.entity import Entity
from muver.kb.index.snapshot import the_only
from muver.retriever.corpus.schema import read_entities
from muver.retriever.retrieval.answers import Candidate, Mention, ViewPart
from muver.retriever.retrieval.retriever import Retriever

COLUMNS = ("world", "document_id", "title", "text", "entity")  # of a row's entities


class RowIndex:
    """A row of the workflow, with the methods of :class:`muver.kb.index.Index` that answer."""

    fixed = "a row of the workflow"
    generation = 0
    has_views = True
    reads = 0

    def __init__(self, retriever: Retriever):
        self._retriever = retriever
        self.worlds, self.threshold = retriever.worlds, retriever.threshold
        self.retrieve = retriever.retrieve

    @property
    def all_worlds(self) -> bool:
        return len(self.worlds) == 1

    def refresh(self) -> "RowIndex":
        return self

    def parts(self, mention: Mention, candidate: Candidate) -> list[ViewPart]:
        number, _ = self._entities[candidate.world, candidate.document_id]
        known = replace(candidate, entity=number)
        return self._retriever.parts(replace(mention, world=candidate.world), known)

    def entity(self, id: str, world: str | None = None) -> Entity:
        worlds = self.worlds if world is None else [world]
        found = {
            name: self._entities[name, id][1] for name in worlds if (name, id) in self._entities
        }
        return the_only(found, id, world)

    @cached_property
    def _entities(self) -> dict[tuple[str, str], tuple[int, Entity]]:
        table = read_entities(self._retriever.entities, self.worlds)
        rows = zip(*(table[name].to_pylist() for name in COLUMNS), strict=True)
        return {
            (world, id): (number, Entity(id=id, title=title, description=text, world=world))
            for world, id, title, text, number in rows
        }
