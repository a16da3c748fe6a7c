"""An index at one time: its state and its mapped segments, which no later change alters."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from muver.io.checking import did_you_mean
from muver.io.errors import Mistake
from muver.kb.index.entity import Entity, key_of
from muver.kb.index.segments import Opened, Part
from muver.kb.index.state import SEGMENTS, Damaged, State, damaged, read_state

ATTEMPTS = 5  # to read a state before the files that it names are gone
IDS_COMPARED = 50_000  # for near ones
T = TypeVar("T")


class UnknownEntity(Mistake):
    """There is no entity of this id."""


class Place(NamedTuple):
    """Where an entity lies: number of the part, and its row there."""

    part: int
    row: int


def known_world(name: str | None, worlds: Collection[str], what: str) -> str | None:
    """A world to search; None for all.

    Parameters
    ----------
    worlds
        Those that there are.
    what
        What names it, for messages.
    """
    if name is None or name in worlds:
        return name
    raise Mistake(
        f"{what}: world {name!r} is not in this index.{did_you_mean(str(name), worlds)} "
        f"There are: {', '.join(list(worlds)[:20]) or 'none, as it has no entities'}."
    )


def the_only(
    found: Mapping[str, T], id: str, world: str | None, near: Callable[[], str] = str
) -> T:
    """What was found of an id.

    Parameters
    ----------
    found
        By world.
    near
        Says which id may be meant, where there is none.
    """
    if len(found) > 1:
        raise Mistake(f"id {id!r} is in several worlds: {', '.join(sorted(found))}. Name one.")
    if not found:
        where = f"world {world!r} of this index" if world is not None else "this index"
        raise UnknownEntity(f"id {id!r} is not in {where}.{near()}")
    return next(iter(found.values()))


class Snapshot:
    """An index as it was when it was opened."""

    def __init__(self, folder: Path, state: State, opened: list[Opened]):
        self.folder, self.state, self.opened = folder, state, opened
        self._parts = [part for one in opened for part in one.parts]

    @property
    def parts(self) -> list[Part]:
        """Of all segments, in their order."""
        if (wrong := self.damage) is not None:
            raise wrong
        return self._parts

    @property
    def damage(self) -> Damaged | None:
        """What is known to be wrong with a segment."""
        return next((one.check.wrong for one in self.opened if one.check.wrong), None)

    def checked(self) -> "Snapshot":
        """The same, once all segments are known to be as they were written."""
        for one in self.opened:
            one.check.finish()
        return self

    @classmethod
    def now(cls, folder: str | Path, before: "Snapshot | None" = None) -> "Snapshot":
        """Open the index as it is.

        Parameters
        ----------
        before
            An older snapshot, whose open segments are taken over.
        """
        for _ in range(ATTEMPTS):
            state = read_state(folder)
            try:
                return cls.of(Path(folder), state, before)
            except FileNotFoundError as error:  # compacted between the two
                lost = error
        raise damaged(Path(lost.filename), "no such file") from None

    @classmethod
    def of(cls, folder: Path, state: State, before: "Snapshot | None" = None) -> "Snapshot":
        """Open what a state names."""
        again = before is not None and before.damage is not None  # it may be whole by now
        if before is not None and before.state == state and not again:
            return before
        # Of one name there may have been another file: it counts if it is the same.
        known = {one.segment.sha256: one for one in before.opened} if before and not again else {}
        opened = [
            known[one.sha256].at(one)
            if one.sha256 in known
            else Opened.of(folder / SEGMENTS, one, wait=again)
            for one in state.segments
        ]
        return cls(folder, state, opened)

    @cached_property
    def worlds(self) -> dict[str, int]:
        """How many entities each world has, by name."""
        counts: Counter[str] = Counter()
        for part in self.parts:
            for world, rows in part.spans.items():
                counts[world] += int(part.live[rows].sum())
        return {world: count for world, count in sorted(counts.items()) if count}

    def find(self, keys: np.ndarray) -> dict[int, Place]:
        """Where the entities with these (keys,) lie; those that are not there are left out."""
        found = {}
        for number, part in enumerate(self.parts):
            for row in np.flatnonzero(np.isin(part.keys, keys) & part.live).tolist():
                found[int(part.keys[row])] = Place(number, row)
        return found

    def found(self, id: str, world: str | None = None) -> dict[str, Place]:
        """Where the entities of an id lie, by world: in one, or in all."""
        worlds = {key_of(one, id): one for one in (self.worlds if world is None else [world])}
        places = self.find(np.array(list(worlds), np.uint64))
        return {worlds[key]: place for key, place in places.items()}

    def place_of(self, id: str, world: str | None = None) -> Place:
        """Where an entity lies."""
        known_world(world, self.worlds, f"id {id!r}")
        found = self.found(id, world)
        return the_only(found, id, world, lambda: did_you_mean(id, self._some_ids(world)))

    def entity(self, place: Place) -> Entity:
        """The entity that lies there."""
        return self.parts[place.part].entity(place.row)

    def entities(self) -> Iterator[Entity]:
        """All of them."""
        for part in self.parts:
            for row in np.flatnonzero(part.live).tolist():
                yield part.entity(row)

    def in_segment(self, place: Place) -> tuple[int, int]:
        """The number of an entity's segment, and its row there."""
        sizes = [len(one.parts) for one in self.opened]
        ends = list(accumulate(sizes))
        number = int(np.searchsorted(ends, place.part, side="right"))
        first = ends[number] - sizes[number]
        return number, sum(map(len, self.parts[first : place.part])) + place.row

    def _some_ids(self, world: str | None) -> list[str]:
        ids: list[str] = []
        for part in self.parts:
            rows = part.rows(world)
            ids += part.batch.column("id").slice(rows.start, rows.stop - rows.start).to_pylist()
            if len(ids) > IDS_COMPARED:
                break
        return ids
