"""Names of entities: their titles, and what a foreign run calls them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq

from muver.corpus.schema import read_entities
from muver.io.errors import InputError

Entity = tuple[str, int]  # world, and line number in it


@dataclass(frozen=True)
class Names:
    """The entities of some worlds.

    Attributes
    ----------
    titles
        By world, in the order of the lines.
    documents
        Entity by document id.
    first
        By world, the first entity of each title.
    """

    titles: dict[str, list[str]]
    documents: dict[str, Entity]
    first: dict[str, dict[str, int]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, worlds: Iterable[str] | None = None) -> "Names":
        """Read entities.parquet, a world at a time, since it also holds the descriptions."""
        if worlds is None:
            worlds = _worlds(path)
        titles, documents, first = {}, {}, {}
        for world in sorted(set(worlds)):
            table = read_entities(path, [world])
            titles[world] = table["title"].to_pylist()
            for number, document in enumerate(table["document_id"].to_pylist()):
                documents[document] = (world, number)
            own = first[world] = {}
            for number, title in enumerate(titles[world]):
                own.setdefault(title, number)
        return cls(titles, documents, first)

    def resolver(self, path: Path, pairs: Iterable[tuple[str, str]]) -> "Resolver":
        """How a file names its candidates: the first way that fits all of them.

        Parameters
        ----------
        path
            For messages.
        pairs
            The world of a mention ("" if unknown) and the name of one of its candidates.

        Raises
        ------
        InputError
            If no way fits.
        """
        pairs = list(pairs)
        worst: tuple[int, str, str] | None = None
        for way in (self._by_number, self._by_document, self._by_title):
            missing = [name for world, name in pairs if way(world, name) is None]
            if not missing:
                return Resolver(way)
            if worst is None or len(missing) < worst[0]:
                worst = (len(missing), missing[0], way.__name__.removeprefix("_by_"))
        count, name, kind = worst or (0, "", "")
        raise InputError(
            f"{path}: {count} of {len(pairs)} candidates are no entities of these data, for "
            f"instance {name!r} (taken as a {kind}). Expected <world>/<line number>, document ids, "
            "or titles of the mention's world: give the --entities that the run was made from."
        )

    def _by_number(self, world: str, name: str) -> Entity | None:
        return numbered(name, self.titles)

    def _by_document(self, world: str, name: str) -> Entity | None:
        return self.documents.get(name) or self.documents.get(unquote(name))

    def _by_title(self, world: str, name: str) -> Entity | None:
        own = self.first.get(world, {})
        for title in (name, unquote(name), unquote(name).replace("_", " ")):
            if title in own:
                return world, own[title]
        return None


@dataclass(frozen=True)
class Resolver:
    """Finds the entity that a candidate's name stands for."""

    way: object

    def __call__(self, world: str, name: str) -> Entity:
        return self.way(world, name)  # type: ignore[operator]


def numbered(name: str, titles: Mapping[str, list[str]] | None = None) -> Entity | None:
    """The entity of ``<world>/<line number>``, as our own TREC files name it; None for others.

    >>> numbered("star%20wars/12"), numbered("Yoda")
    (('star wars', 12), None)
    """
    world, slash, number = name.rpartition("/")
    if not slash or not (number.isascii() and number.isdecimal()):
        return None
    world = unquote(world)
    if titles is not None and int(number) >= len(titles.get(world, ())):
        return None
    return world, int(number)


def _worlds(path: Path) -> list[str]:
    try:
        return (
            pq.read_table(path, columns=["world"], partitioning=None)["world"].unique().to_pylist()
        )
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not entities from the corpus stage ({error}).") from None
