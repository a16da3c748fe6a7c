"""What is true in a world: the facts of each entity, from which all sentences are made."""

from collections import Counter

from miniwikia.chance import Chance
from miniwikia.entities import Entity, Taste
from miniwikia.grammar import TYPES, Grammar, Kind

LONGEST = 100  # sentences of a description (a template may have two)
# The number of a kind, then what fills each slot: the number of a concept or an entity.
Fact = tuple[int, ...]


def draw_length(chance: Chance) -> int:
    """How many sentences a description has: up to LONGEST, fewer than ten for half of them.

    A product of independent factors is nearly log-normal and, unlike ``exp``, gives the same bits
    everywhere.
    """
    length = 20.0
    for _ in range(6):
        length *= 0.3 + 1.3 * chance.random()
    return min(LONGEST, max(1, round(length)))


class Facts:
    """The facts of all entities of a world.

    Attributes
    ----------
    of
        The facts of each entity in the order of its page, aspect by aspect; the first is the lead,
        which says what the entity is.
    lengths
        The number of sentences of each entity's description.
    holders
        How many entities each fact is true of.
    """

    def __init__(self, chance: Chance, entities: list[Entity], grammar: Grammar, taste: Taste):
        self._grammar, self._taste = grammar, taste
        self._entities = entities
        self._members = {
            name: [i for i, entity in enumerate(entities) if entity.type == name] for name in TYPES
        }
        # Entities of the same name can't be told apart by name: the first stands for all, so that
        # equal facts have equal numbers.
        first: dict[tuple[str, str], int] = {}
        self._same = [
            first.setdefault((entity.type, entity.base), i) for i, entity in enumerate(entities)
        ]
        self.of: list[tuple[Fact, ...]] = []
        self.lengths: list[int] = []
        for number in range(len(entities)):
            self.lengths.append(draw_length(chance))
            self.of.append(self._draw(number, chance))
        self.holders = Counter(fact for facts in self.of for fact in facts)

    def _draw(self, number: int, chance: Chance) -> tuple[Fact, ...]:
        entity = self._entities[number]
        kinds = self._grammar.by_type[entity.type]
        # The other sentences of a page are about other entities or state no fact.
        wanted = 1 + int(0.6 * (self.lengths[number] - 1) + chance.random())
        lead, others = kinds[0], kinds[1:]
        chosen: dict[Fact, None] = {}
        again = others
        while len(chosen) < wanted - 1:
            for kind in chance.shuffled(again)[: wanted - 1 - len(chosen)]:
                chosen[self._fill(kind, number, chance)] = None
            again = [kind for kind in others if not kind.once]
        order = {kind.aspect: chance.random() for kind in others}
        # A life has an order; the order of other aspects is random.
        order.update(childhood=-2.0, founding=-1.0, death=2.0, end=2.0, legacy=3.0)
        ordered = sorted(chosen, key=lambda fact: order[self._grammar.kinds[fact[0]].aspect])
        return (self._fill(lead, number, chance), *ordered)

    def _fill(self, kind: Kind, number: int, chance: Chance) -> Fact:
        values = [kind.number]
        for position, (_, filler) in enumerate(kind.slots):
            if filler.startswith("@"):
                values.append(self._other(filler[1:], number, chance))
            elif kind.lead and position == 0:
                values.append(self._entities[number].sort)
            else:
                values.append(self._taste.concept(filler, chance))
        return tuple(values)

    def _other(self, type_name: str, number: int, chance: Chance) -> int:
        """An entity of the type with another name, some drawn much more often than others."""
        members = self._members[type_name]
        start = chance.skewed(len(members))
        for step in range(len(members)):
            other = members[(start + step) % len(members)]
            if self._same[other] != self._same[number]:
                return self._same[other]
        return members[start]
