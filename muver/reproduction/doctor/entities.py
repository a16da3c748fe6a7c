"""The entities of a corpus by whatever a run calls them: line number, document id or title."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from muver.io.errors import InputError
from muver.retriever.corpus.schema import read_entities

Entity = tuple[str, int]  # world, and line number in it


class Entities(NamedTuple):
    """The entities of some worlds."""

    titles: dict[Entity, str]
    documents: dict[str, Entity]  # by document id
    first: dict[tuple[str, str], Entity]  # by world and title, the first of that title

    @classmethod
    def read(cls, path: Path, worlds: Sequence[str] | None = None) -> "Entities":
        """Entities of these worlds, or of all."""
        table = read_entities(path, worlds)
        columns = (table[n].to_pylist() for n in ("world", "entity", "title", "document_id"))
        found = cls({}, {}, {})
        for world, number, title, document in zip(*columns, strict=True):
            entity = found.documents[document] = world, number
            found.titles[entity] = title
            found.first.setdefault((world, title), entity)
        return found

    def find(self, path: Path, names: Sequence[tuple[str, str]]) -> list[Entity]:
        """The entities that a file names, by the first way of naming that fits all of them.

        Parameters
        ----------
        names
            The world of a mention ("" if unknown) and the name of one of its candidates.
        """
        ways = {
            "number": lambda _, name: found if (found := numbered(name)) in self.titles else None,
            "document": lambda _, name: self.documents.get(unquote(name)),
            "title": self._by_title,
        }
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

    def _by_title(self, world: str, name: str) -> Entity | None:
        titles = (name, unquote(name), unquote(name).replace("_", " "))
        return next((found for one in titles if (found := self.first.get((world, one)))), None)


def numbered(name: str) -> Entity | None:
    """The entity of ``<world>/<line number>``, as our own TREC files name it; None for others.

    >>> numbered("star%20wars/12"), numbered("Yoda")
    (('star wars', 12), None)
    """
    world, slash, number = name.rpartition("/")
    return (unquote(world), int(number)) if slash and number.isdecimal() else None
