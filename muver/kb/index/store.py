"""The entities of an index at one time, wherever they lie: what an open index asks of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from muver.io.checking import did_you_mean
from muver.io.errors import InputError, Mistake
from muver.kb.index.entity import Entity, key_of
from muver.kb.index.machinery import Machinery
from muver.kb.index.views import EntityViews
from muver.retriever.retrieval.answers import Candidate, Mention

T = TypeVar("T")


class UnknownEntity(Mistake):
    """There is no entity of this id."""


class NoAnswer(InputError):
    """The store of an index's entities does not answer, or not as it should."""


def known_world(name: str | None, worlds: Collection[str], what: str) -> str | None:
    """A world to search, None for all; a mistake that begins with ``what`` if there is none."""
    if name is None or name in worlds:
        return name
    raise Mistake(
        f"{what}: world {name!r} is not in this index.{did_you_mean(str(name), worlds)} "
        f"There are: {', '.join(list(worlds)[:20]) or 'none, as it has no entities'}."
    )


def the_only(found: Mapping[str, T], id: str, world: str | None) -> T:
    """What was found of an id, by world, if it is in one world alone."""
    if len(found) > 1:
        raise Mistake(f"id {id!r} is in several worlds: {', '.join(sorted(found))}. Name one.")
    if not found:
        where = f"world {world!r} of this index" if world is not None else "this index"
        raise UnknownEntity(f"id {id!r} is not in {where}.")
    return next(iter(found.values()))


class Store(ABC):
    """Entities by key. It has a ``generation``, which grows with each change of the index, and
    ``worlds``: how many entities each has, by name in alphabetical order.
    """

    machinery: Machinery
    generation: int
    worlds: Mapping[str, int]

    @abstractmethod
    def find(self, keys: Iterable[int]) -> Mapping[int, Any]:
        """Of these keys those that an entity has."""

    @abstractmethod
    def entities_of(self, keys: Collection[int]) -> Mapping[int, Entity]:
        """The entities of the keys, of those that are there."""

    @abstractmethod
    def views_of(self, keys: Collection[int]) -> Mapping[int, EntityViews]:
        """The same with their views."""

    @abstractmethod
    def ranked(
        self, mentions: Sequence[Mention], world: str | None, k: int
    ) -> list[list[Candidate]]:
        """The best ``k`` entities of each mention, of a world or of all."""

    def has(self, id: str, world: str | None) -> bool:
        return bool(self.find(self._keys(id, world)))

    def only(
        self, fetch: Callable[[Collection[int]], Mapping[int, T]], id: str, world: str | None
    ) -> T:
        """What one of the functions above fetches of the entity of an id."""
        known_world(world, self.worlds, f"id {id!r}")
        keys = self._keys(id, world)
        return the_only({keys[key]: one for key, one in fetch(list(keys)).items()}, id, world)

    def _keys(self, id: str, world: str | None) -> dict[int, str]:
        """The key that an entity has in each world, or in one."""
        return {key_of(one, id): one for one in (self.worlds if world is None else [world])}
