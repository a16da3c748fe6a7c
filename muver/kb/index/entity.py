"""The entities of an index: their fields, checks, and the keys that tell them apart."""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import Annotated

import msgspec

from muver.io.errors import Mistake, listed, quoted
from muver.io.typed import Text
from muver.kb.importing.importing_settings import LONGEST, MOST_ALIASES
from muver.kb.importing.schema import WORLD, entity_batches, is_world

# What `muver kb import` cuts, an index refuses.
Description = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Aliases = Annotated[list[str], msgspec.Meta(max_length=MOST_ALIASES)]
COLUMNS = ("id", "title", "description", "aliases", "world", "further")


@dataclass(frozen=True, kw_only=True)
class Entity:
    """An entity; its id, a text or a whole number, is unique within its world, and a mention of a
    world is resolved there.

    One without a world that is brought into an index gets the index's only world. ``further`` are
    other columns, by name, which come back with it and by which answers are narrowed.
    """

    id: Text
    title: str
    description: Description = ""
    aliases: Aliases = field(default_factory=list)
    world: Text | None = None
    further: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.id, Integral) and type(self.id) is not bool:  # numpy's too
            object.__setattr__(self, "id", str(self.id))

    @property
    def key(self) -> int:
        """64 bits of world and id, by which an entity is looked up."""
        return key_of(self.world, self.id)

    @property
    def content(self) -> int:
        """64 bits of all the rest: whether an entity has changed."""
        more = [f"{name}={value}" for name, value in sorted(self.further.items())]
        return _hash([self.title, self.description, *self.aliases, *(["", *more] if more else [])])


def key_of(world: str | None, id: str | int) -> int:
    return _hash([world, str(id)])


def _hash(texts: Iterable[str | None]) -> int:
    whole = hashlib.blake2b(msgspec.json.encode(list(texts)), digest_size=8)
    return int.from_bytes(whole.digest(), "little")


def checked(
    source: str | Path | Entity | Iterable[Entity], worlds: Collection[str] = ()
) -> Iterator[Entity]:
    """The entities of a folder that `muver kb import` wrote, or those given, one by one; a mistake
    for one that no index takes. ``worlds`` are those of the index.
    """
    only = next(iter(worlds), "world") if len(worlds) < 2 else None
    place = "entity"
    if isinstance(source, str | Path):
        source, place = _read(source), f"{source}, row"
    elif isinstance(source, Entity):
        source = [source]
    for number, entity in enumerate(source):
        where = f"{place} {number}"
        try:
            entity = msgspec.convert(msgspec.to_builtins(entity), Entity)
            msgspec.json.encode(entity)  # a lone surrogate is no text
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise Mistake(f"{where}: not an entity ({error}).") from None
        if not (entity.title.strip() or entity.description.strip()):
            raise Mistake(f"{where}: neither title nor description; there is nothing to find.")
        if entity.id != entity.id.strip():
            raise Mistake(
                f"{where}: id {quoted(entity.id)} begins or ends with a space. Leave it out."
            )
        if (world := entity.world or only) is None:
            raise Mistake(f"{where}: world: name one. There are: {listed(worlds)}.")
        if not is_world(world):
            raise Mistake(f"{where}: world {quoted(world)}: expected {WORLD}.")
        yield replace(entity, world=world)


def _read(folder: str | Path) -> Iterator[Entity]:
    for batch in entity_batches(folder, COLUMNS):
        for row in batch.to_pylist():
            further = dict(row["further"] or ())
            yield Entity(**{**row, "aliases": row["aliases"] or [], "further": further})
