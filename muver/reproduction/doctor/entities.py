"""The entities of a corpus by whatever a run calls them: line number, document id or title."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as pq

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities

Entity = tuple[str, int]  # world, and line number in it


@dataclass(frozen=True)
class Entities:
    """The entities of some worlds."""

    titles: dict[str, list[str]]  # by world, in the order of the lines
    documents: dict[str, Entity]  # by document id
    first: dict[str, dict[str, int]]  # by world, the first entity of each title

    @classmethod
    def read(cls, path: Path, worlds: Iterable[str] | None = None) -> "Entities":
        """Read entities.parquet, a world at a time, since it also holds the descriptions."""
        titles, documents, first = {}, {}, {}
        for world in sorted(set(_worlds(path) if worlds is None else worlds)):
            table = read_entities(path, [world])
            titles[world] = own = table["title"].to_pylist()
            for number, document in enumerate(table["document_id"].to_pylist()):
                documents[document] = (world, number)
            first[world] = {own[number]: number for number in reversed(range(len(own)))}
        return cls(titles, documents, first)

    def find(self, path: Path, names: Sequence[tuple[str, str]]) -> list[Entity]:
        """The entities that a file names, by the first way of naming that fits all of them.

        Parameters
        ----------
        path
            For messages.
        names
            The world of a mention ("" if unknown) and the name of one of its candidates.

        Raises
        ------
        InputError
            If no way fits.
        """
        ways = {"number": self._by_number, "document": self._by_document, "title": self._by_title}
        missing = {}
        for kind, way in ways.items():
            found = {name: way(*name) for name in dict.fromkeys(names)}
            missing[kind] = [name for (_, name), entity in found.items() if entity is None]
            if not missing[kind]:
                return [found[name] for name in names]
        kind = min(missing, key=lambda one: len(missing[one]))
        raise InputError(
            f"{path}: {len(missing[kind])} of {len(set(names))} candidates are no entities of "
            f"these data, for instance {missing[kind][0]!r} (taken as a {kind}). Expected "
            "<world>/<line number>, document ids, or titles of the mention's world: give the "
            "--entities that the run was made from."
        )

    def _by_number(self, world: str, name: str) -> Entity | None:
        return numbered(name, self.titles)

    def _by_document(self, world: str, name: str) -> Entity | None:
        return self.documents.get(name) or self.documents.get(unquote(name))

    def _by_title(self, world: str, name: str) -> Entity | None:
        own, plain = self.first.get(world, {}), unquote(name)
        titles = (title for title in (name, plain, plain.replace("_", " ")) if title in own)
        return next(((world, own[title]) for title in titles), None)


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
        worlds = pq.read_table(path, columns=["world"], partitioning=None)["world"]
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: not entities from the corpus stage ({error}).") from None
    return worlds.unique().to_pylist()
