"""What a section is given, and what it says of each of its cases."""

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Case(NamedTuple):
    """An attack and how it went.

    Parameters
    ----------
    kind
        What was attacked: cases are counted by it.
    what
        The attack, in words that suffice to do it again.
    wrong
        What did not hold; empty where everything did.
    measured
        Numbers by their names, of which the page shows the greatest.
    """

    kind: str
    what: str
    wrong: str = ""
    measured: Mapping[str, float] = {}


@dataclass(frozen=True)
class Plan:
    """How many cases, from which seed, until when, in which folder.

    With ``fault`` a section ruins by itself what it is to guard, and has to notice it in each case:
    a campaign that sees nothing wrong anywhere would be worth nothing.
    """

    cases: int
    seed: int
    until: float  # of time.monotonic()
    folder: Path
    fault: bool = False

    def turns(self) -> Iterator[tuple[int, random.Random]]:
        """Numbers of cases, each with chance of its own, as long as there is time."""
        for number in range(self.cases):
            if time.monotonic() > self.until:
                return
            yield number, random.Random(f"{self.seed}:{number}")

    def below(self, name: str, **changes) -> "Plan":
        """The same for a part of a section, in a new folder."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        return replace(self, folder=folder, **changes)


def seconds_left(plan: Plan) -> float:
    """Of a section's time."""
    return plan.until - time.monotonic()
