"""An index of words in memory, as quick as it is simple: an entity's views are its sentences."""

import numpy as np

from muver.io.errors import Mistake
from muver.kb.index.changes import Change
from muver.kb.index.costs import Costs
from muver.kb.index.described import EntityViews, placed
from muver.kb.index.entity import Entity, checked
from muver.kb.index.snapshot import UnknownEntity
from muver.retriever.answers import Candidate, Explanation, ViewPart


class Shelf:
    """What lies on disk: entities and a generation, which whoever has it open may change."""

    def __init__(self, entities):
        self.entities = {(one.world, one.id): one for one in entities}
        self.generation = 1

    def open(self):
        return FakeIndex(self)


class FakeIndex:
    """As :class:`muver.kb.index.Index`: a snapshot, which its own changes replace."""

    fixed = None
    threshold = None  # or from 0 to 1, and the probability is a tenth of the score

    def __init__(self, shelf):
        self.shelf = shelf
        self.entities, self.generation = shelf.entities, shelf.generation

    def __len__(self):
        return len(self.entities)

    @property
    def costs(self):
        return Costs(len(self), np.arange(len(self) + 1), 0, 0, 0, piece=1.0, piece_of_entity=1.0)

    def refresh(self):
        return self if self.generation == self.shelf.generation else FakeIndex(self.shelf)

    @property
    def worlds(self):
        return sorted({one.world for one in self.entities.values()})

    def entity(self, id, world=None):
        for one in self.entities.values():
            if one.id == id and world in (None, one.world):
                return one
        raise UnknownEntity(f"no entity {id!r}.")

    def retrieve(self, mentions, k=64, excerpts=False, weights=None):
        return [self._ranked(mention, excerpts)[:k] for mention in mentions]

    def explain(self, mention, id, world=None, weights=None):
        one = self.entities[world, id]
        found = sorted(_views(mention, one), reverse=True)
        described = _described(one)
        parts = [
            ViewPart(float(score), float(n == 0), 0, -at, -at, text, *described.place(-at, -at))
            for n, (score, at, text) in enumerate(found)
        ]
        return Explanation({"views": found[0][0]}, parts)

    def update(self, entities):
        new = {(one.world, one.id): one for one in checked(entities, self.worlds)}
        known = len(new.keys() & self.shelf.entities.keys())
        return self._next({**self.shelf.entities, **new}, len(new) - known, known, 0)

    def remove(self, ids, world=None):
        gone = {(world, id) for id in ids}
        left = {key: one for key, one in self.shelf.entities.items() if key not in gone}
        return self._next(left, 0, 0, len(gone))

    def _next(self, entities, added, updated, removed):
        self.shelf.entities = self.entities = entities
        self.shelf.generation = self.generation = self.shelf.generation + 1
        return Change(added, updated, 0, removed)

    def _ranked(self, mention, excerpts):
        if mention.world not in (None, *self.worlds):
            raise Mistake(f"mention {mention.text!r}: world {mention.world!r} is not here.")
        found = []
        for one in self.entities.values():
            if mention.world in (None, one.world):
                score, place, text = max(_views(mention, one))
                likely = None if self.threshold is None else score / 10
                view = 0, -place, -place, text
                cut = _described(one).excerpt(-place, -place) if excerpts else None
                named = -1, one.id, one.title
                given = {"views": score}
                found.append(Candidate(*named, score, *view, one.world, likely, cut, signals=given))
        return sorted(found, key=lambda one: (-one.score, one.document_id))


def _views(mention, entity):
    """Score, minus the number, and text of each sentence."""
    words = set(f"{mention.left} {mention.text} {mention.right}".lower().split())
    for n, sentence in enumerate(_sentences(entity)):
        own = set(f"{entity.title} {sentence}".lower().replace(".", "").split())
        yield float(len(words & own)), -n, sentence


def _sentences(entity):
    return entity.description.split(". ")


def _described(entity):
    return EntityViews(entity, placed(entity.description, _sentences(entity)))


def entity(id, title, description=""):
    return Entity(id=id, title=title, description=description, world="town")


def shelf():
    """Some entities of a town."""
    return Shelf(
        [
            entity("smith", "Anna Berg", "Anna lives by the river. She forged the gate in spring."),
            entity("baker", "Otto Berg", "Otto bakes bread. He sells it at the gate."),
            entity("gate", "North Gate", "A gate of iron. Its bell rings at noon."),
        ]
    )
