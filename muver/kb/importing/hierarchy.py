"""What stands above a concept, as a line of its description."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

HIGHEST = 10  # steps up
T = TypeVar("T")


def broader(concept: T, above: Callable[[T], Iterable[T]], name: Callable[[T], str]) -> str:
    """A line for each concept right above, followed up by the first one above that.

    >>> tree = {"cat": ["carnivore", "pet"], "carnivore": ["mammal"]}
    >>> broader("cat", lambda one: tree.get(one, []), str)
    'Broader: carnivore > mammal.\\nBroader: pet.'
    """
    lines = (
        " > ".join(filter(None, map(name, _up(one, concept, above)))) for one in above(concept)
    )
    return "\n".join(f"Broader: {line}." for line in lines if line)


def _up(first: T, start: T, above: Callable[[T], Iterable[T]]) -> Iterator[T]:
    seen = {start}
    while first is not None and first not in seen and len(seen) <= HIGHEST:
        yield first
        seen.add(first)
        first = next(iter(above(first)), None)
