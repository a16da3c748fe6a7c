"""The sections of the campaign: what each attacks, and the aim of each."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from campaign import (
    damage,
    disk,
    guided,
    hostile,
    kills,
    long,
    markup,
    memory,
    power,
    service,
    together,
    worst,
)
from campaign.plan import Case, Plan


class Section(NamedTuple):
    """An entry of the table.

    Parameters
    ----------
    attack
        Function that makes the cases; its module's docstring explains them on the page.
    reach
        Cases that are aimed at, of each kind where ``each`` is set; 0: no number was named.
    cases
        How many `make campaign` makes if there is time.
    """

    title: str
    attack: Callable[[Plan], Iterator[Case]]
    reach: int
    cases: int
    each: bool = False


SECTIONS = {
    "workflow": Section("Kills of the workflow", kills.workflow, 200, 20),
    "commands": Section("Kills of other commands", kills.others, 300, 60),
    "signals": Section("Commands that are told to end", kills.stopped, 0, 40),
    "memory": Section("Out of memory", memory.attack, 0, 30),
    "together": Section("Two at once", together.attack, 0, 2),
    "disk": Section("Full disks and ordinary users", disk.attack, 0, 2),
    "failing": Section("Calls that fail", disk.failing, 0, 5),
    "hostile": Section("Hostile files", hostile.attack, 0, 20),
    "markup": Section("Markup in a browser", markup.attack, 0, 5),
    "guided": Section("Hostile files led by coverage", guided.attack, 0, 10_000),
    "service": Section("Hostile requests", service.attack, 10_000, 10_000),
    "worst": Section("The worst requests", worst.attack, 0, 1),
    "long": Section("Long runs", long.attack, 0, 40),
    "bytes": Section("Wrong bytes", damage.attack, 500, 10, each=True),
    "power": Section("Loss of power", power.attack, 0, 1),
}
