"""A row of the workflow as an index: what answers a mention, and what explains an answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property

from muver.io.errors import Mistake
from muver.kb.index.answer import AnyIndex
from muver.kb.index.described import Described, cut
from muver.kb.index.entity import Entity
from muver.kb.index.snapshot import the_only
from muver.retriever.corpus.schema import read_entities
from muver.retriever.retrieval.answers import Candidate, Explanation, Mention, ViewPart
from muver.retriever.retrieval.retriever import Retriever

COLUMNS = ("world", "document_id", "title", "text", "entity")  # of a row's entities


class RowIndex(AnyIndex):
    """A row of the workflow, with the methods of :class:`muver.kb.index.Index` that answer; a row
    has its own weights.
    """

    fixed = "a row of the workflow"
    generation = 0
    reads = 0

    def __init__(self, retriever: Retriever):
        self._retriever = retriever
        self.worlds, self.threshold = retriever.worlds, retriever.threshold

    @property
    def all_worlds(self) -> bool:
        return len(self.worlds) == 1

    def where(self, **columns: str) -> "RowIndex":
        raise Mistake("where: entities of a row of the workflow have no other columns.")

    def refresh(self) -> "RowIndex":
        return self

    def found(
        self,
        mentions: Sequence[Mention],
        k: int = 64,
        excerpts: bool = False,
        weights: Mapping[str, float] | None = None,
    ) -> list[list[tuple[Candidate, Entity]]]:
        _settled(weights)
        described = cache(self._described)  # each entity once

        def shown(one: Candidate) -> tuple[Candidate, Entity]:
            _, entity = self._entities[one.world, one.document_id]
            one = replace(one, text=cut(one.text), signals={"views": one.score})
            if excerpts:
                own = described(one.world, one.document_id)
                one = replace(one, excerpt=own.excerpt(*_sentences(one, own)))
            return one, entity

        return [[shown(one) for one in own] for own in self._retriever.retrieve(mentions, k)]

    def explain(
        self,
        mention: Mention,
        id: str,
        world: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Explanation:
        """As of :meth:`muver.kb.index.Index.explain`, but for what signals give."""
        _settled(weights)
        entity = self.entity(id, world)
        number, _ = self._entities[entity.world, id]
        own, found = self._described(entity.world, id), []
        known = Candidate(number, id, entity.title, 0.0, 0, 0, 0, "", entity.world)
        for part in self._retriever.parts(replace(mention, world=entity.world), known):
            part = replace(part, text=cut(part.text))
            start, end = own.place(*_sentences(part, own))
            found.append(replace(part, start=start, end=end))
        return Explanation({}, found)

    def _described(self, world: str, id: str) -> Described:
        number, entity = self._entities[world, id]
        return Described.of(entity.description, self._retriever.sentences(world, number))

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


def _settled(weights: Mapping[str, float] | None) -> None:
    if weights:
        raise Mistake("weights: a row of the workflow has its own. Ask without any.")


def _sentences(one: Candidate | ViewPart, described: Described) -> tuple[int, int]:
    """First and last sentence of a view; none if it is of another entity with the same title."""
    own = described.text(one.first, one.last) == one.text
    return (one.first, one.last) if own else (0, -1)
