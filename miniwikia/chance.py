"""Random choices that are the same on every machine and Python version."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """Choices drawn from a generator that is seeded by a text, e.g. ``13/world/page/7``.

    Only ``random.random()`` is used, the one method whose sequence Python promises to keep. Each
    part of the data has a seed of its own, so it does not depend on draws made elsewhere.
    """

    __slots__ = ("random",)

    def __init__(self, *seed: str | int):
        self.random = random.Random("/".join(str(part) for part in seed)).random

    def below(self, n: int) -> int:
        """A random whole number from 0 to n - 1."""
        return int(self.random() * n)

    def skewed(self, n: int) -> int:
        """The smaller of two random whole numbers from 0 to n - 1."""
        return int(min(self.random(), self.random()) * n)

    def pick(self, items: Sequence[T]) -> T:
        """A random item."""
        return items[int(self.random() * len(items))]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """A random item of (item, weight) pairs, in proportion to its weight."""
        left = self.random() * sum(weight for _, weight in items)
        for item, weight in items:
            left -= weight
            if left < 0:
                return item
        return items[-1][0]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order (Fisher and Yates)."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = int(self.random() * (i + 1))
            result[i], result[j] = result[j], result[i]
        return result


def mixed(*numbers: int) -> int:
    """A small integer hash of ``numbers`` that looks random."""
    state = 0x9E3779B9
    for number in numbers:
        state = ((state ^ number) * 0x85EBCA6B) & 0xFFFFFFFF
        state ^= state >> 13
    return (state * 0xC2B2AE35 & 0xFFFFFFFF) >> 8
