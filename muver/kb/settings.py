"""What `muver kb import` takes as ``--settings``."""

from pathlib import Path

from msgspec import Struct

from muver.io.typed import Count, Settings, Text


class Import(Settings):
    """How entities are read; what does not concern a source is ignored."""

    encoding: Text | None = None  # None: found out
    separator: Text = "|"  # between the aliases of a cell
    html: bool = True  # whether to take HTML out of descriptions
    longest: Count | None = 200_000  # characters of a description; the rest is cut
    most_aliases: Count | None = 1000  # of an entity; further ones are left out


class Given(Struct, frozen=True):
    """What a source is told: the settings, and the options of the command line.

    Attributes
    ----------
    columns
        Names of columns in the file, by the canonical ones.
    world
        Of entities whose source names none, in place of the file's.
    where
        Conditions on entities, of sources that have them.
    workers
        Processes, of sources that can use several.
    """

    settings: Import
    columns: dict[str, str] = {}
    world: str | None = None
    where: tuple[str, ...] = ()
    workers: int = 1

    def world_of(self, path: Path) -> str:
        """The world of a file that names none: the one given, else its name without endings."""
        return self.world or path.name.partition(".")[0] or path.name
