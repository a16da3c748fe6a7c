"""What the sources give: entities, further titles of entities, and what they left out."""

from collections import defaultdict

from msgspec import Struct

SHOWN = 10  # examples of each kind


class Link(Struct, frozen=True):
    """A link in a description: characters ``start <= c < end``, to the page called ``target``."""

    start: int
    end: int
    target: str


class Entity(Struct):
    """An entity, as its source has it."""

    id: str
    title: str
    description: str
    place: str = ""  # in its file, for messages: "line 12"
    world: str = ""
    aliases: list[str] = []
    further: dict[str, str] = {}  # the source's other columns
    links: list[Link] = []  # of the description, in its order, none within another


class Redirect(Struct):
    """A further title of the entity called ``target``."""

    world: str
    title: str
    target: str


class LeftOut(Struct):
    """Something that became no entity: the reason, the same for all of its kind, and where."""

    why: str
    place: str


Item = Entity | Redirect | LeftOut


class Note(Struct):
    """How often something was met, and its first examples."""

    count: int = 0
    first: list[str] = []


class Notes(defaultdict[str, Note]):
    """What users should know, by kind."""

    def __init__(self):
        super().__init__(Note)

    def add(self, what: str, example: str) -> None:
        """Count one, and keep the example if it is among the first."""
        note = self[what]
        note.count += 1
        if note.count <= SHOWN:
            # A manifest has to take it, also the half of a surrogate pair in an address of RDF.
            note.first.append(example.encode(errors="backslashreplace").decode())
