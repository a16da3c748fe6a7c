"""The entities of an index at one time: a state and its mapped segments, which no later change
alters.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np

from muver.io.errors import Mistake, did_you_mean, listed, quoted
from muver.kb.index.answer import known_world
from muver.kb.index.costs import Costs
from muver.kb.index.described import NONE, WHOLE, EntityViews
from muver.kb.index.entity import Entity, key_of
from muver.kb.index.index_settings import COLUMN_OF, WITHOUT_MODEL, Asking, Weights
from muver.kb.index.machinery import Machinery
from muver.kb.index.search import Asked, Hit, Place, Signal, contributions, search
from muver.kb.index.segments import Opened
from muver.kb.index.signals import Characters, Exact, Vectors, Words
from muver.kb.index.state import SEGMENTS, Damaged, State, read_state
from muver.retriever.answers import Candidate, Explanation, Mention
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.exact import exactly

MOST_KEPT = 64  # worlds of which what was computed for answers is kept


class UnknownEntity(Mistake):
    """There is no entity of this id."""


class Snapshot:
    """Entities by key. ``generation`` grows with each change of the index."""

    def __init__(self, machinery: Machinery, state: State, opened: list[Opened]):
        self.folder, self.machinery = machinery.folder, machinery
        self.state, self.opened = state, opened
        self.generation = state.generation
        self.parts = [part for file in opened for part in file.parts]
        self._asked: dict[str | None, Asked] = {}

    @classmethod
    def now(cls, folder: str | Path, before: "Snapshot | None" = None) -> "Snapshot":
        """Open the index as it is; what an older snapshot has open is taken over."""
        state, place = read_state(folder), Path(folder).absolute()
        while True:
            try:
                return cls.of(place, state, before)
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
        known = {file.segment.sha256: file for file in before.opened} if before else {}
        opened = [
            known[s.sha256].at(s) if s.sha256 in known else Opened.of(folder / SEGMENTS, s)
            for s in state.segments
        ]
        same = before is not None and before.state.made_with == state.made_with
        return cls(before.machinery if same else Machinery(folder, state), state, opened)

    @cached_property
    def worlds(self) -> dict[str, int]:
        """In alphabetical order, each with the number of its entities."""
        counts: Counter[str] = Counter()
        for part in self.parts:
            for world, rows in part.spans.items():
                counts[world] += int(part.live[rows].sum())
        return {world: count for world, count in sorted(counts.items()) if count}

    def having(self, id: str, world: str | None) -> dict[str, Place]:
        """Where each world, or the one that is named, has an entity of an id."""
        keys = {key_of(w, id): w for w in (self.worlds if world is None else [world])}
        return {keys[key]: place for key, place in self.find(keys).items()}

    def place(self, id: str, world: str | None) -> Place:
        """Where the one entity of an id lies; a mistake if there is none, or several worlds do."""
        known_world(world, self.worlds, f"id {quoted(id)}")
        found = self.having(id, world)
        if len(found) > 1:
            raise Mistake(
                f"id {quoted(id)} is in several worlds: {listed(sorted(found))}. Name one."
            )
        if not found:
            where = f"world {quoted(world)} of this index" if world is not None else "this index"
            raise UnknownEntity(f"id {quoted(id)} is not in {where}.")
        return next(iter(found.values()))

    def find(self, keys: Iterable[int]) -> dict[int, Place]:
        """Where the entities with these keys lie; those that are not there are left out."""
        found, wanted = {}, np.array(list(keys), np.uint64)
        for number, part in enumerate(self.parts):
            for row in np.flatnonzero(np.isin(part.keys, wanted) & part.live).tolist():
                found[int(part.keys[row])] = Place(number, row)
        return found

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

    def asked(self, world: str | None) -> Asked:
        """The entities of a world, or of all; what was computed of them is kept."""
        if (asked := self._asked.get(world)) is None:
            if len(self._asked) >= MOST_KEPT:
                self._asked.clear()
            asked = self._asked[world] = Asked(self.parts, world)
        return asked

    def ranked(
        self,
        mentions: Sequence[Mention],
        world: str | None,
        k: int,
        weights: Weights,
        excerpts: bool = False,
    ) -> list[list[tuple[Candidate, Entity]]]:
        """The best ``k`` candidates of each mention, of a world or of all, with their entities.

        An entity is read once, whichever mentions find it.
        """
        asked, queries, signals = self.question(mentions, world, weights, k)
        found = search(asked, signals, weights, len(mentions), k)
        read = cache(lambda at: self.parts[at.part].views(at.row))

        def candidate(mention: int, hit: Hit) -> tuple[Candidate, Entity]:
            entity, number = read(hit.place), self.number(*hit.place)
            view = self._shown(entity, queries, mention)
            return entity.candidate(number, hit.signals, view, excerpts), entity.entity

        return [[candidate(n, hit) for hit in hits] for n, hits in enumerate(found)]

    def narrowed(self, where: Mapping[str, str]) -> "Snapshot":
        """The same with only the entities whose other columns have these values."""
        known = set().union(*(part.further_names for part in self.parts))
        for name in where:
            if name not in known:
                raise Mistake(
                    f"where {name}: no entity has such a column.{did_you_mean(name, known)} "
                    f"There are: {listed(sorted(known)) or 'none'}."
                )
        other = Snapshot(self.machinery, self.state, self.opened)
        other.parts = [part.narrowed(where) for part in self.parts]
        other.worlds = {**dict.fromkeys(self.worlds, 0), **other.worlds}
        return other

    def asking(self, settings: Asking) -> "Snapshot":
        """The same with other settings on which no vector depends."""
        other = copy(self)
        other.state = self.state.asking(settings)
        return other

    def explained(
        self, mention: Mention, id: str, world: str | None, weights: Weights
    ) -> Explanation:
        """What signals and views add to the score of an entity."""
        at = self.place(id, world)
        entity = self.parts[at.part].views(at.row)
        world = mention.world and entity.entity.world
        asked, queries, signals = self.question([mention], world, weights)
        contributed = contributions(asked, signals, weights, asked.place(*at))
        parts = []
        if "views" in queries:
            how = self.state.model.metric, self.state.settings.scorer
            parts = entity.parts(queries["views"], *how)
        return Explanation(contributed, parts)

    def question(
        self,
        mentions: Sequence[Mention],
        world: str | None,
        weights: Weights,
        k: int | None = None,
    ) -> tuple[Asked, dict[str, np.ndarray], dict[str, Signal]]:
        """The entities asked for, and vectors of the mentions and signals by name: those that have
        a weight.
        """
        asked, state = self.asked(world), self.state
        counted = [name for name, weight in weights.items() if weight]
        compared = [name for name in counted if name not in WITHOUT_MODEL]
        queries = self.machinery.queries(mentions, compared)
        signals: dict[str, Signal] = {}
        for name in counted:
            match name:
                case "exact":
                    signals[name] = Exact(asked, mentions)
                case "words":
                    signals[name] = Words(asked, mentions, state.settings.words)
                case "characters":
                    signals[name] = Characters(asked, mentions)
                case "views" | "whole":
                    aggregate = state.settings.scorer if name == "views" else MAX
                    how = self.longest, aggregate, state.model.metric, state.model.scale, k
                    signals[name] = Vectors(asked, name, queries[name], *how)
                case _:
                    column = COLUMN_OF[name]
                    signals[name] = Vectors(asked, column, queries[name], 1.0, MAX)
        return asked, queries, signals

    def _shown(self, entity: EntityViews, queries: Mapping[str, np.ndarray], mention: int) -> int:
        """The view of an entity that won, if views were compared."""
        if "views" not in queries:
            return WHOLE if "whole" in queries else NONE
        asked = queries["views"][mention][None]
        (similar,) = exactly(entity.vectors, asked, self.state.model.metric)
        return entity.shown(int(similar.argmax()), similar)

    @cached_property
    def costs(self) -> Costs:
        return Costs([part.costs for part in self.parts], [part.live for part in self.parts])

    @cached_property
    def longest(self) -> float:
        """Length of the longest vector of a view or of a whole description."""
        lengths = (part.batch.column("length").to_numpy() for part in self.parts)
        return max((float(each.max(initial=0)) for each in lengths), default=0.0)
