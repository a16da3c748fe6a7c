"""From mentions to candidates: ranks the parts of a snapshot, and reads the winners' entities."""

from collections.abc import Sequence
from typing import NamedTuple

from muver.kb.index.entity import Entity
from muver.kb.index.making import Machinery
from muver.kb.index.search import Hit, by_views, by_words, fused
from muver.kb.index.segments import Part
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.views import EntityViews
from muver.kb.index.words import queries
from muver.retriever.retrieval.answers import NO_VIEW, Candidate, Mention


class Embedded(NamedTuple):
    """The entities of a snapshot, as :class:`muver.kb.index.opened.Store` has them."""

    snapshot: Snapshot
    machinery: Machinery

    @property
    def generation(self) -> int:
        """The snapshot's."""
        return self.snapshot.state.generation

    @property
    def worlds(self) -> dict[str, int]:
        """How many entities each world has."""
        return self.snapshot.worlds

    def entity(self, id: str, world: str | None) -> Entity:
        """One entity."""
        return self.snapshot.entity(self.snapshot.place_of(id, world))

    def has(self, id: str, world: str | None) -> bool:
        """Whether an entity is there."""
        return bool(self.snapshot.found(id, world))

    def views(self, id: str, world: str | None) -> EntityViews:
        """One entity with its views."""
        place = self.snapshot.place_of(id, world)
        return EntityViews.of(self.snapshot.parts[place.part], place.row)

    def ranked(
        self, mentions: Sequence[Mention], world: str | None, k: int
    ) -> list[list[Candidate]]:
        """The best entities of each mention: by views, words, or both."""
        return [
            [_candidate(self.snapshot.parts, hit) for hit in hits]
            for hits in self._hits(mentions, world, k)
        ]

    def _hits(self, mentions: Sequence[Mention], world: str | None, k: int) -> list[list[Hit]]:
        state, parts = self.snapshot.state, self.snapshot.parts
        settings = state.settings
        deep = max(k, settings.depth)
        if state.model is None:
            return by_words(parts, world, queries(mentions, settings.words), k, settings.words)
        vectors = self.machinery.mentions(mentions)
        scored = settings.scorer, state.model.metric
        if settings.bm25_weight is None:
            return by_views(parts, world, vectors, k, *scored)
        words = by_words(parts, world, queries(mentions, settings.words), deep, settings.words)
        views = by_views(parts, world, vectors, deep, *scored)
        return [
            fused(parts, view, word, settings.bm25_weight, k)
            for view, word in zip(views, words, strict=True)
        ]


def _candidate(parts: Sequence[Part], hit: Hit) -> Candidate:
    part = parts[hit.part]
    number = sum(map(len, parts[: hit.part])) + hit.row
    if hit.view < 0:
        entity = part.entity(hit.row)
        none = NO_VIEW, -1, -1, ""
        return Candidate(number, entity.id, entity.title, hit.score, *none, entity.world)
    return EntityViews.of(part, hit.row).candidate(number, hit.score, hit.view)
