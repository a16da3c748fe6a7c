"""What the sources give: entities, further titles of entities, and what they left out."""

from msgspec import Struct

from muver.retriever.corpus.opening import LeftOut


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


Item = Entity | Redirect | LeftOut
