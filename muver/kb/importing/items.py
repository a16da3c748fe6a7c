"""What the sources give: entities, further titles of entities, and what they left out."""

from msgspec import Struct


class Link(Struct, frozen=True):
    """A link in a description: characters ``start <= c < end``, to the page called ``target``."""

    start: int
    end: int
    target: str


class Entity(Struct):
    """An entity, as its source has it.

    Attributes
    ----------
    place
        Where it stands in its file, for messages: ``line 12``.
    further
        The source's other columns, as text.
    links
        Of the description, in its order, none within another.
    """

    id: str
    title: str
    description: str
    place: str = ""
    world: str = ""
    aliases: list[str] = []
    further: dict[str, str] = {}
    links: list[Link] = []


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
