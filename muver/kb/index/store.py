"""The entities of an index at one time, wherever they lie: what an open index asks of them."""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from muver.io.checking import did_you_mean
from muver.io.errors import InputError, Mistake
from muver.kb.index.entity import key_of
from muver.kb.index.machinery import Machinery

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


class Store:
    """Entities by key. The kinds of store have ``find`` (of some keys those that an entity has),
    ``entities_of`` and ``views_of`` (the same with what they name), and ``ranked`` (the best ``k``
    candidates of each mention, of a world or of all).

    ``generation`` grows with each change of the index; ``worlds`` are in alphabetical order, each
    with the number of its entities.
    """

    machinery: Machinery
    generation: int
    worlds: Mapping[str, int]

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
