"""What stands above a concept, as lines of its description."""

from collections.abc import Callable, Iterable
from typing import TypeVar

HIGHEST = 10  # steps up
T = TypeVar("T")


def broader(concept: T, above: Callable[[T], Iterable[T]], name: Callable[[T], str]) -> str:
    """A line for each concept right above, followed up by the first one above that.

    >>> tree = {"cat": ["carnivore", "pet"], "carnivore": ["mammal"]}
    >>> broader("cat", lambda one: tree.get(one, []), str)
    'Broader: carnivore > mammal.\\nBroader: pet.'
    """
    lines = []
    for one in above(concept):
        way: list[T] = []
        while one is not None and one != concept and one not in way and len(way) < HIGHEST:
            way.append(one)
            one = next(iter(above(one)), None)
        if line := " > ".join(filter(None, map(name, way))):
            lines.append(f"Broader: {line}.")
    return "\n".join(lines)
