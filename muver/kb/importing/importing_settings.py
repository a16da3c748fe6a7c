"""What `muver kb import` takes as ``--settings``."""

import re
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from muver.io.errors import InputError, quoted
from muver.io.typed import Count, Natural, Settings, Share, Text
from muver.kb.importing.piped import Piped
from muver.kb.importing.schema import WORLD, is_world

# The most that an index takes, so that a setting may only be lower.
LONGEST = 200_000  # characters of a description
MOST_ALIASES = 1_000  # of an entity
# Of a file's name: that of its form, which is no number, and of its compression.
ENDINGS = re.compile(r"(?<=.)(?:\.[A-Za-z][A-Za-z0-9_-]*+)?(?:\.(?:gz|bz2|xz))?\Z", re.IGNORECASE)


class Mentions(Settings):
    """How links become mentions; ``val`` and ``test`` name worlds, or are shares of the pages."""

    val: Share | list[Text] = 0.1
    test: Share | list[Text] = 0.1
    high_overlap: Share = 0.05  # at most this share of a world's mentions equal their title
    per_page: Count | None = None
    per_target: Count | None = None  # mentions of one entity
    per_world: Count | None = None
    seed: Natural = 13

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.val, list) != isinstance(self.test, list):
            raise ValueError("val and test are both lists of worlds, or both shares of the pages.")
        if not isinstance(self.val, list) and self.val + self.test >= 1:
            raise ValueError("val and test leave nothing to train on. Together they are below 1.")


class Import(Settings):
    """How entities are read; what does not concern a source is ignored."""

    language: Text = "en"  # of labels, where a source has several
    encoding: Text | None = None  # None: UTF-8, or UTF-16 by its mark
    quotes: bool = True  # whether quotation marks of CSV are around cells, or part of their text
    separator: Text = "|"  # between the aliases of a cell
    html: bool = True  # whether to take HTML out of titles, descriptions and aliases
    longest: Annotated[int, Meta(ge=1, le=LONGEST)] = LONGEST  # the rest of a description is cut
    most_aliases: Annotated[int, Meta(ge=1, le=MOST_ALIASES)] = MOST_ALIASES  # the first ones
    namespaces: list[int] = msgspec.field(default_factory=lambda: [0])  # of a wiki, to be read
    disambiguation: list[Text] = []  # further templates that mark a page so
    shown: dict[Text, list[Text]] = {}  # further templates, and the parameters that readers see
    mentions: Mentions = Mentions()


class Options(Struct, frozen=True):
    """What the reader of a source gets: settings, and options of the command line."""

    settings: Import
    columns: dict[str, str] = {}  # of the file, by their canonical names; an empty one: none
    world: str | None = None  # of all entities, but of rows whose world's column is given
    where: tuple[str, ...] = ()  # conditions on entities
    workers: int = 1
    replaces: bool = True  # whether `world` is that of a table's rows that name one too

    def __post_init__(self) -> None:
        if self.world is not None and not is_world(self.world):
            raise InputError(f"--world {quoted(self.world)}: expected {WORLD}.")

    def world_of(self, path: Path) -> str:
        """The world of a file that names none: the one given, else its name without endings; a
        pipe's name says nothing if it has no ending.

        >>> [Options(Import()).world_of(Path(name)) for name in ("v1.0.csv", "sea.gz", "v1.0")]
        ['v1.0', 'sea', 'v1.0']
        """
        if self.world is not None:
            return self.world
        if isinstance(path, Piped) and not path.suffix:
            return "world"
        return ENDINGS.sub("", path.name)
