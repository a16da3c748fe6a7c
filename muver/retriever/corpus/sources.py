"""The downloads that this project knows, read from ``sources.yaml``."""

from functools import cache
from pathlib import Path

import msgspec

from muver.io.errors import InputError, choices
from muver.io.typed import Record

SPLITS = ("train", "val", "test")  # that a dataset's worlds and mentions belong to


class WorldCounts(Record):
    """Counts of a world; ``without_text`` is the number of entities without a description."""

    split: str
    entities: int
    mentions: int = 0  # which are published by split alone
    without_text: int = 0


class Sizes(Record):
    """Counts of each world, and mentions and entities by split, set or part."""

    worlds: dict[str, WorldCounts] = {}
    mentions: dict[str, int] = {}
    entities: dict[str, int] = {}


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """An archive or file that can be downloaded, or how a person gets it."""

    name: str
    title: str
    address: str | None = None  # where a program fetches it; None if only a person may, or shipped
    page: str | None = None  # where a person fetches it by hand; None if it is shipped
    file: str  # the customary name
    licence: str
    size: int | None = None  # bytes; None, as sha256, if nobody published them
    sha256: str | None = None
    published: Sizes | None = None
    # "archive", to be unpacked; "shipped", an archive that comes with this package; "file", used as
    # it is; "worlds", several repositories at the address; "instructions", for a person only.
    kind: str = "archive"
    instructions: str | None = None  # what a person has to do

    @property
    def shipped(self) -> Path | None:
        """Where a shipped archive lies."""
        return Path(__file__).with_name(self.file) if self.kind == "shipped" else None


@cache
def all_sources() -> dict[str, Source]:
    entries = msgspec.yaml.decode(Path(__file__).with_name("sources.yaml").read_bytes())
    return {
        name: msgspec.convert({"name": name, **entry}, Source) for name, entry in entries.items()
    }


def find_source(name: str) -> Source:
    """The source of this name; the error for an unknown name lists all names."""
    known = all_sources()
    if name not in known:
        raise InputError(f"No download is called {name!r}.{choices(name, known)}")
    return known[name]
