"""The entities of an index at one time: a state and its mapped segments, which no later change
alters.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import Mistake, choices, did_you_mean, listed, quoted
from muver.io.files import size_of
from muver.kb.index.costs import NO_MODEL, Costs
from muver.kb.index.encoding import Encoding
from muver.kb.index.entity import Entity, key_of
from muver.kb.index.index_settings import Asking
from muver.kb.index.scope import Scope
from muver.kb.index.segments import Part, has_views, live_parts, opened
from muver.kb.index.state import MODEL, SEGMENTS, Damaged, State, read_state
from muver.kb.index.views import EntityViews

MOST_KEPT = 64  # worlds of which what was computed for answers is kept


class UnknownEntity(Mistake):
    """There is no entity of this id."""


class Snapshot:
    """Entities by number: from 0 on those of the parts, one after another, the removed ones too.

    ``scope`` gives the entities of a world, or of all, and keeps what was computed of them.
    """

    def __init__(self, encoding: Encoding, state: State, parts_of: list[list[Part]]):
        self.folder, self.encoding = encoding.folder, encoding
        self.state, self.parts_of = state, parts_of  # the parts of each segment
        self.parts = [part for parts in parts_of for part in parts]
        self.scope = lru_cache(MOST_KEPT)(partial(Scope, self.parts))

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
        """Open an index in a state; what an older snapshot has open is taken over."""
        if before is not None and before.state == state:
            return before
        # Of one name there may have been another file: it counts if it is the same.
        known = {s.sha256: n for n, s in enumerate(before.state.segments)} if before else {}
        parts_of = [
            live_parts(before.parts_of[known[s.sha256]], s)
            if s.sha256 in known
            else opened(folder / SEGMENTS, s)
            for s in state.segments
        ]
        same = before is not None and before.state.made_with == state.made_with
        return cls(before.encoding if same else Encoding(folder, state), state, parts_of)

    @cached_property
    def worlds(self) -> dict[str, int]:
        """In alphabetical order, each with the number of its entities."""
        counts: Counter[str] = Counter()
        for part in self.parts:
            for world, rows in part.spans.items():
                counts[world] += int(part.live[rows].sum())
        return {world: count for world, count in sorted(counts.items()) if count}

    def __len__(self) -> int:
        return sum(self.worlds.values())

    @cached_property
    def _firsts(self) -> list[int]:
        """The number of the first entity of each part."""
        return list(accumulate(map(len, self.parts), initial=0))

    def at(self, number: int) -> tuple[Part, int]:
        """The part in which an entity lies, and its row there."""
        n = bisect(self._firsts, number) - 1
        return self.parts[n], number - self._firsts[n]

    def content(self, number: int) -> int:
        part, row = self.at(number)
        return int(part.content[row])

    def entity(self, number: int) -> Entity:
        part, row = self.at(number)
        return part.entity(row)

    def views(self, number: int) -> EntityViews:
        part, row = self.at(number)
        return part.views(row)

    def entities(self) -> Iterator[Entity]:
        for part in self.parts:
            yield from map(part.entity, np.flatnonzero(part.live).tolist())

    def find(self, keys: Iterable[int]) -> dict[int, int]:
        """The numbers of the entities with these keys; those that are not there are left out."""
        numbers, wanted = {}, np.array(list(keys), np.uint64)
        for first, part in zip(self._firsts, self.parts, strict=False):
            for row in np.flatnonzero(np.isin(part.keys, wanted) & part.live).tolist():
                numbers[int(part.keys[row])] = first + row
        return numbers

    def having(self, id: str, world: str | None) -> dict[str, int]:
        """The worlds that have an entity of an id, or the one that is named if it has, each with
        the entity's number.
        """
        keys = {key_of(w, id): w for w in (self.worlds if world is None else [world])}
        return {keys[key]: number for key, number in self.find(keys).items()}

    def number(self, id: str, world: str | None) -> int:
        """The number of the one entity of an id; a mistake if none has it, or several worlds do."""
        known_world(world, self.worlds, f"id {quoted(id)}")
        numbers = self.having(id, world)
        if len(numbers) > 1:
            raise Mistake(
                f"id {quoted(id)} is in several worlds: {listed(sorted(numbers))}. Name one."
            )
        if not numbers:
            where = f"world {quoted(world)} of this index" if world is not None else "this index"
            raise UnknownEntity(f"id {quoted(id)} is not in {where}.")
        (number,) = numbers.values()
        return number

    def narrowed(self, where: Mapping[str, str]) -> "Snapshot":
        """The same with only the entities whose other columns have these values."""
        known = set().union(*(part.further_names for part in self.parts))
        for name in where:
            if name not in known:
                raise Mistake(
                    f"where {name}: no entity has such a column.{choices(name, sorted(known))}"
                )
        parts_of = [[part.narrowed(where) for part in parts] for parts in self.parts_of]
        other = Snapshot(self.encoding, self.state, parts_of)
        other.worlds = {**dict.fromkeys(self.worlds, 0), **other.worlds}
        return other

    def asking(self, settings: Asking) -> "Snapshot":
        """The same with other settings on which no vector depends."""
        other = copy(self)
        other.state = self.state.asking(settings)
        return other

    @cached_property
    def costs(self) -> Costs:
        piece, state = NO_MODEL, self.state
        if state.columns:
            from muver.retriever.encoders.device import weight_of

            piece = weight_of(self.encoding.encoder.model.mention_encoder)
        held, live = [part.held for part in self.parts], [part.live for part in self.parts]
        return Costs.of(held, live, piece, state.settings.merge)

    @cached_property
    def longest(self) -> float:
        """Length of the longest vector of a view or of a whole description."""
        lengths = (part.batch.column("length").to_numpy() for part in self.parts)
        return max((float(each.max(initial=0)) for each in lengths), default=0.0)

    def info(self) -> dict[str, Any]:
        """Model, settings, counts and sizes, as JSON has them."""
        state, folder = self.state, self.folder
        return {
            "folder": str(folder),
            "generation": state.generation,
            "fingerprint": state.fingerprint,
            "model": state.model and state.model.name,
            "trained": state.model and state.model.trained,
            "weights": state.weights,
            "settings": state.settings.as_dict(),
            "vectors": state.columns,
            "entities": state.entities,
            "views": sum(s.views for s in state.segments) if "views" in state.columns else None,
            **self._coverage(),
            "worlds": self.worlds,
            "segments": len(state.segments),
            "removed": sum(len(segment.removed) for segment in state.segments),
            "bytes": size_of(folder / SEGMENTS),
            "model_bytes": size_of(folder / MODEL) if state.model else 0,
        }

    def _coverage(self) -> dict[str, float | None]:
        """How many views an entity has, and how much of the descriptions none of them reads."""
        parts, columns = self.parts, self.state.columns
        views = unread = None
        if len(self) and "views" in columns:
            counts = (np.diff(part.vectors("views")[0])[part.live] for part in parts)
            views = round(sum(int(count.sum()) for count in counts) / len(self), 1)
        if len(self) and has_views(columns):
            characters, missed = (sum(c) for c in zip(*(p.unread for p in parts), strict=True))
            unread = round(100 * missed / max(characters, 1), 1)
        return {"views_an_entity": views, "unread_percent": unread}


def known_world(name: str | None, worlds: Collection[str], what: str) -> str | None:
    """A world to search, None for all; a mistake that begins with ``what`` if there is none."""
    if name is None or name in worlds:
        return name
    raise Mistake(
        f"{what}: world {quoted(name)} is not in this index.{did_you_mean(str(name), worlds)} "
        f"There are: {listed(worlds) or 'none, as it has no entities'}."
    )
