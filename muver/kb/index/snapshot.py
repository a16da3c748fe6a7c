"""An index at one time: its state and its mapped segments, which no later change alters."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np

from muver.kb.index.entity import Entity, EntityViews
from muver.kb.index.machinery import Machinery
from muver.kb.index.search import Hit, by_views, by_words, fused
from muver.kb.index.segments import Opened
from muver.kb.index.state import SEGMENTS, Damaged, State, read_state
from muver.kb.index.store import Store
from muver.kb.index.words import queries
from muver.retriever.retrieval.answers import NO_VIEW, Candidate, Mention


class Place(NamedTuple):
    """Where an entity lies: number of the part, and its row there."""

    part: int
    row: int


class Snapshot(Store):
    def __init__(self, machinery: Machinery, state: State, opened: list[Opened]):
        self.folder, self.machinery = machinery.folder, machinery
        self.state, self.opened = state, opened
        self.generation = state.generation
        self.parts = [part for one in opened for part in one.parts]

    @classmethod
    def now(cls, folder: str | Path, before: "Snapshot | None" = None) -> "Snapshot":
        """Open the index as it is; what an older snapshot has open is taken over."""
        state = read_state(folder)
        while True:
            try:
                return cls.of(Path(folder), state, before)
            except Damaged:
                seen, state = state, read_state(folder)
                if state == seen:
                    raise
                # Compacted between the two: the files that it named are gone.

    @classmethod
    def of(cls, folder: Path, state: State, before: "Snapshot | None" = None) -> "Snapshot":
        if before is not None and before.state == state:
            return before
        # Of one name there may have been another file: it counts if it is the same.
        known = {one.segment.sha256: one for one in before.opened} if before else {}
        opened = [
            known[one.sha256].at(one) if one.sha256 in known else Opened.of(folder / SEGMENTS, one)
            for one in state.segments
        ]
        same = before is not None and before.state.fingerprint == state.fingerprint
        return cls(before.machinery if same else Machinery(folder, state), state, opened)

    @cached_property
    def worlds(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for part in self.parts:
            for world, rows in part.spans.items():
                counts[world] += int(part.live[rows].sum())
        return {world: count for world, count in sorted(counts.items()) if count}

    def find(self, keys: Iterable[int]) -> dict[int, Place]:
        """Where the entities with these keys lie; those that are not there are left out."""
        found, wanted = {}, np.array(list(keys), np.uint64)
        for number, part in enumerate(self.parts):
            for row in np.flatnonzero(np.isin(part.keys, wanted) & part.live).tolist():
                found[int(part.keys[row])] = Place(number, row)
        return found

    def entities_of(self, keys: Collection[int]) -> dict[int, Entity]:
        return {key: self.parts[at.part].entity(at.row) for key, at in self.find(keys).items()}

    def views_of(self, keys: Collection[int]) -> dict[int, EntityViews]:
        return {key: self.parts[at.part].views(at.row) for key, at in self.find(keys).items()}

    def entities(self) -> Iterator[Entity]:
        for part in self.parts:
            for row in np.flatnonzero(part.live).tolist():
                yield part.entity(row)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map(len, self.parts))]

    def number(self, part: int, row: int) -> int:
        """The number of an entity among those of all segments, the removed ones counted."""
        return self._starts[part] + row

    def ranked(
        self, mentions: Sequence[Mention], world: str | None, k: int
    ) -> list[list[Candidate]]:
        found = self._hits(mentions, world, k)
        return [[self._candidate(hit) for hit in hits] for hits in found]

    def _hits(self, mentions: Sequence[Mention], world: str | None, k: int) -> list[list[Hit]]:
        state, parts, settings = self.state, self.parts, self.state.settings
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

    def _candidate(self, hit: Hit) -> Candidate:
        part = self.parts[hit.part]
        number = self.number(hit.part, hit.row)
        if hit.view < 0:
            entity = part.entity(hit.row)
            none = NO_VIEW, -1, -1, ""
            return Candidate(number, entity.id, entity.title, hit.score, *none, entity.world)
        return part.views(hit.row).candidate(number, hit.score, hit.view)
