"""The downloads this project knows, read from ``sources.yaml``."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from muver.io.checking import did_you_mean
from muver.io.errors import InputError


@dataclass(frozen=True)
class PublishedWorld:
    """What the literature says of one world: its split and number of entities."""

    split: str
    entities: int


@dataclass(frozen=True)
class Published:
    """The published statistics of a dataset: by world, and totals by split."""

    worlds: dict[str, PublishedWorld]
    entities: dict[str, int]
    mentions: dict[str, int]


@dataclass(frozen=True)
class Source:
    """One archive or file that can be downloaded, or how to come by it.

    Attributes
    ----------
    address
        Where a program fetches it, ``None`` where it may not.
    page
        Where a person fetches it by hand.
    file
        The customary file name.
    size, sha256
        Bytes and checksum, ``None`` where nobody published them.
    kind
        "archive", to be unpacked; "file", used as it is; "instructions", for a person only.
    instructions
        What that person is to do.
    """

    name: str
    title: str
    address: str | None
    page: str
    file: str
    licence: str
    size: int | None
    sha256: str | None
    published: Published | None
    kind: str = "archive"
    instructions: str | None = None


def _published(value: dict[str, Any] | None) -> Published | None:
    if value is None:
        return None
    worlds = {name: PublishedWorld(**world) for name, world in value["worlds"].items()}
    return Published(worlds, value["entities"], value["mentions"])


@cache
def all_sources() -> dict[str, Source]:
    """Every declared source by name."""
    text = Path(__file__).with_name("sources.yaml").read_text(encoding="utf-8")
    return {
        name: Source(name=name, **{**entry, "published": _published(entry["published"])})
        for name, entry in yaml.safe_load(text).items()
    }


def find_source(name: str) -> Source:
    """The source called ``name``; an ``InputError`` names the known ones."""
    known = all_sources()
    if name not in known:
        raise InputError(
            f"No download is called {name!r}.{did_you_mean(name, known)} Known: {', '.join(known)}."
        )
    return known[name]
