"""The downloads that this project knows, read from ``sources.yaml``."""

from functools import cache
from pathlib import Path

import msgspec
import yaml

from muver.io.checking import did_you_mean
from muver.io.errors import InputError


class PublishedWorld(msgspec.Struct, frozen=True):
    """A world's published split and number of entities."""

    split: str
    entities: int


class Published(msgspec.Struct, frozen=True):
    """Published counts: entities of each world; entities and mentions by split or by set."""

    worlds: dict[str, PublishedWorld] = {}
    entities: dict[str, int] = {}
    mentions: dict[str, int] = {}


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """An archive or file that can be downloaded, or how a person gets it.

    Attributes
    ----------
    address
        Where a program fetches it; None if only a person may, or if it is shipped.
    page
        Where a person fetches it by hand; None if it is shipped.
    file
        The customary file name.
    size, sha256
        Bytes and checksum; None if nobody published them.
    kind
        "archive", to be unpacked; "shipped", an archive that comes with this package; "file", used
        as it is; "worlds", several repositories at the address; "instructions", for a person only.
    instructions
        What that person has to do.
    """

    name: str
    title: str
    address: str | None = None
    page: str | None = None
    file: str
    licence: str
    size: int | None = None  # bytes; None, as sha256, if nobody published them
    sha256: str | None = None
    published: Published | None = None
    kind: str = "archive"  # or "file", "worlds" (repositories at the address), "instructions"
    instructions: str | None = None  # what a person has to do

    @property
    def shipped(self) -> Path | None:
        """Where a shipped archive lies."""
        return Path(__file__).with_name(self.file) if self.kind == "shipped" else None


@cache
def all_sources() -> dict[str, Source]:
    text = Path(__file__).with_name("sources.yaml").read_text(encoding="utf-8")
    return {
        name: msgspec.convert({"name": name, **entry}, Source)
        for name, entry in yaml.safe_load(text).items()
    }


def find_source(name: str) -> Source:
    """The source of this name; the error for an unknown name lists all names."""
    known = all_sources()
    if name not in known:
        raise InputError(
            f"No download is called {name!r}.{did_you_mean(name, known)} Known: {', '.join(known)}."
        )
    return known[name]
