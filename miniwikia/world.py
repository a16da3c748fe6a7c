"""A world: its names, its taste and its entities' facts."""

from collections import Counter

from miniwikia.chance import Chance
from miniwikia.entities import Entity, Naming, Taste, draw_types, references
from miniwikia.facts import Fact, Facts
from miniwikia.grammar import Grammar, load_grammar
from miniwikia.lexicon import Form, Lexicon, load_lexicon
from miniwikia.names import WordMaker
from miniwikia.surfaces import names


class World:
    """Everything about a world except its pages, from its seed, name and size alone.

    Attributes
    ----------
    entities, facts
        The entities in the order of their pages, and what is true of them.
    words
        The made-up words of its names.
    shared
        How many entities have each name (lower-cased).
    """

    def __init__(self, seed: int, name: str, size: int):
        self.name, self.seed = name, seed
        self.lexicon: Lexicon = load_lexicon()
        self.grammar: Grammar = load_grammar()
        words = WordMaker(self.chance("words"), self.lexicon.words)
        taste = Taste(self.chance("taste"), self.lexicon)
        naming = Naming(self.chance("names"), words, self.lexicon, taste)
        self.entities: list[Entity] = [
            naming.entity(type_name) for type_name in draw_types(self.chance("types"), size)
        ]
        self.words = words.made
        self.facts = Facts(self.chance("facts"), self.entities, self.grammar, taste)
        self.shared = Counter(
            text
            for entity in self.entities
            for text in {surface.text.lower(): None for surface in names(entity, self.lexicon)}
        )

    def chance(self, *place: str | int) -> Chance:
        """The random choices for one part of this world's data."""
        return Chance("miniwikia", self.seed, self.name, *place)

    def is_telling(self, fact: Fact) -> bool:
        """Whether the fact is true of one entity only."""
        return self.facts.holders[fact] == 1

    def filling(self, filler: str, value: int) -> tuple[Form, ...]:
        """The forms of what fills a slot: a concept or another entity."""
        if filler.startswith("@"):
            return references(self.entities[value])
        return self.lexicon.classes[filler][value]
