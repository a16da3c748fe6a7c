"""The entities of an index: their fields, checks and views, and the keys that tell them apart."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from muver.io.errors import Mistake, listed, quoted
from muver.io.typed import Text
from muver.kb.importing.importing_settings import LONGEST, MOST_ALIASES
from muver.kb.importing.schema import WORLD, entity_batches, is_world
from muver.kb.index.described import Described
from muver.retriever.answers import NO_VIEW, Candidate, ViewPart
from muver.retriever.retrieval.aggregates import Aggregate
from muver.retriever.retrieval.exact import exactly
from muver.retriever.retrieval.layers import greatest_first
from muver.retriever.retrieval.rows import GLOBAL

# What `muver kb import` cuts, an index refuses.
Description = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Aliases = Annotated[list[str], msgspec.Meta(max_length=MOST_ALIASES)]
MOST_ALIKE = 16  # views whose texts are compared
ALIKE = 0.01  # of a similarity: so near is another one that is about the same
WHOLE, NONE = -2, -1  # in place of a view's number: the whole description, nothing
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


@dataclass(frozen=True, eq=False)
class EntityViews:
    """An entity with its (sentences, 2) starts and ends in the cleaned description, in characters,
    its (views, 3) layers, first and last sentences, as of :class:`muver.Candidate`, and their
    (views, d) float32 vectors.
    """

    entity: Entity
    sentences: np.ndarray
    views: np.ndarray
    vectors: np.ndarray

    @cached_property
    def _described(self) -> Described:
        return Described(self.entity.description, self.sentences)

    def part(self, number: int, similarity: float, share: float) -> ViewPart:
        """A view, with what it adds to a score."""
        layer, first, last = self.place(number)
        text, place = self._described.text(first, last), self._described.place(first, last)
        return ViewPart(similarity, share, layer, first, last, text, *place)

    def parts(self, mention: np.ndarray, metric: str, aggregate: Aggregate) -> list[ViewPart]:
        """What each view adds to the score for a (1, d) mention, the greatest share first."""
        (similarities,) = exactly(self.vectors, mention, metric)
        shares = aggregate.shares(similarities)
        return [
            self.part(n, float(similarities[n]), float(shares[n]))
            for n in greatest_first(similarities, shares).tolist()
        ]

    def shown(self, view: int, similarities: np.ndarray) -> int:
        """Of the views of a layer that are about as similar as the one that won, the one that says
        most: (views,) ``similarities``.
        """
        best, layers = similarities[view], self.views[:, 0]
        alike = (similarities >= best - ALIKE * abs(best)) & (layers == layers[view])
        near = np.flatnonzero(alike)
        near = near[np.argsort(-similarities[near], kind="stable")[:MOST_ALIKE]]
        # Of equals the one that won.
        return max([view, *near.tolist()], key=self._letters) if len(near) > 1 else view

    def _letters(self, view: int) -> int:
        _, first, last = self.views[view].tolist()
        return sum(map(str.isalpha, self._described.text(first, last)))

    def place(self, view: int) -> tuple[int, int, int]:
        """Layer, first and last sentence of a view; also of :data:`WHOLE`, and of :data:`NONE`."""
        if view == WHOLE:
            return GLOBAL, 0, len(self.sentences) - 1
        return (NO_VIEW, -1, -1) if view == NONE else tuple(self.views[view].tolist())

    def candidate(
        self, number: int, signals: Mapping[str, float], view: int, excerpt: bool = False
    ) -> Candidate:
        """The entity as an answer, by what each signal gives, with the view that won, and perhaps
        an excerpt; ``number`` is its ``entity``.
        """
        layer, first, last = self.place(view)
        entity, described = self.entity, self._described
        return Candidate(
            number, entity.id, entity.title, sum(signals.values()), layer, first, last,
            described.text(first, last), entity.world, signals=signals, further=entity.further,
            excerpt=described.excerpt(first, last) if excerpt else None,
        )  # fmt: skip


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
