"""The entities of a world: their types, sorts and names, ambiguous on purpose."""

from dataclasses import dataclass

from miniwikia.chance import Chance
from miniwikia.grammar import TYPES
from miniwikia.lexicon import Form, Lexicon, form
from miniwikia.names import WordMaker

# For each type of entity, the class of the lexicon that its sorts come from.
SORTS = {
    "person": "trade",
    "place": "placekind",
    "organisation": "orgkind",
    "artefact": "artkind",
    "creature": "beastkind",
    "event": "eventkind",
}

# Percentage of entities of each type, before a world's own preferences.
SHARES = {
    "person": 34, "place": 22, "organisation": 12, "artefact": 12, "creature": 9, "event": 11
}  # fmt: skip
SMALLEST_WORLD = 2 * len(TYPES)  # so that a fact about another entity of any type finds one


@dataclass(slots=True)
class Entity:
    """What an entity is and how it is called.

    Attributes
    ----------
    title
        ``base`` or ``base (disambiguation)``.
    word
        The part of the base that may stand for it: a surname, the name in "Battle of ...".
    article
        Whether the base takes "the".
    nickname
        May be empty.
    """

    type: str
    sort: int
    title: str
    base: str
    word: str
    article: bool
    pronoun: str
    nickname: str

    @property
    def named(self) -> str:
        """The name as it stands within a sentence."""
        return f"the {self.base}" if self.article else self.base


class Naming:
    """Names one entity after another: entities may share names, but titles are unique."""

    def __init__(self, chance: Chance, words: WordMaker, lexicon: Lexicon, taste: "Taste"):
        self._chance, self._words, self._lexicon, self._taste = chance, words, lexicon, taste
        self._titles: set[str] = set()
        self._proper_words: list[str] = []
        self._single: list[str] = []
        self._full: list[str] = []
        self._given: list[str] = []
        self._surnames: list[str] = []

    def entity(self, type_name: str) -> Entity:
        """Name the next entity, of the given type."""
        chance = self._chance
        sort = self._taste.concept(SORTS[type_name], chance)
        sort_name = self._lexicon.classes[SORTS[type_name]][sort][0].bare
        # Some entities take over another's whole name: a person's, or a single word of any type.
        known = self._full if type_name == "person" else self._single
        reuse = bool(known) and type_name != "event" and chance.random() < 0.25
        tagged = reuse or chance.random() < 0.15
        while True:
            if reuse:
                base = chance.pick(known)
                word, article = base.split()[-1], False
            else:
                base, word, article = self._base(type_name, sort_name)
            plain = base not in self._titles and (article or not tagged)
            title = base if plain else f"{base} ({sort_name})"
            if title not in self._titles:
                break
            reuse = False
        self._titles.add(title)
        self._proper_words.append(word)
        if base == word:
            self._single.append(base)
        elif type_name == "person":
            self._full.append(base)
        pronoun = ("he", "she")[chance.below(2)] if type_name == "person" else "it"
        return Entity(
            type_name, sort, title, base, word, article, pronoun, self._nickname(type_name)
        )

    def _base(self, type_name: str, sort_name: str) -> tuple[str, str, bool]:
        """A name, the word that may stand for it, and whether it takes an article."""
        chance = self._chance
        if type_name == "person":
            given = self._from(self._given, 0.5)
            if chance.random() < 0.12:
                return given, given, False
            surname = self._from(self._surnames, 0.45)
            return f"{given} {surname}", surname, False
        word = self._proper()
        shape = chance.random()
        noun = sort_name.title()
        if type_name == "place":
            return (word, word, False) if shape < 0.65 else (f"{word} {noun}", word, False)
        if type_name == "creature":
            return (word, word, False) if shape < 0.5 else (f"{word} {noun}", word, False)
        if type_name == "event" or shape < 0.45:
            return f"{noun} of {word}", word, True
        if shape < 0.75:
            return f"{word} {noun}", word, True
        return word, word, False

    def _from(self, pool: list[str], fresh: float) -> str:
        """A name from the pool or, with probability ``fresh``, a new one that joins it."""
        if not pool or self._chance.random() < fresh:
            pool.append(self._words.fresh())
            return pool[-1]
        return pool[self._chance.skewed(len(pool))]

    def _proper(self) -> str:
        """A new word, or one that is already part of another entity's name."""
        if self._proper_words and self._chance.random() < 0.3:
            return self._chance.pick(self._proper_words)
        return self._words.fresh()

    def _nickname(self, type_name: str) -> str:
        chance = self._chance
        if type_name not in ("person", "place", "artefact") or chance.random() < 0.6:
            return ""
        if chance.random() < 0.5:
            return self._words.fresh()
        return f"{chance.pick(self._lexicon.epithets)} of {self._proper()}"


class Taste:
    """A world's own order of the concepts of each class; earlier ones are likelier."""

    def __init__(self, chance: Chance, lexicon: Lexicon):
        self._orders = {
            name: chance.shuffled(range(len(concepts)))
            for name, concepts in lexicon.classes.items()
        }

    def concept(self, class_name: str, chance: Chance) -> int:
        """A random concept of the class, as its number."""
        order = self._orders[class_name]
        # Half of the draws are even, so that no concept is rare in any world.
        pick = chance.below if chance.random() < 0.5 else chance.skewed
        return order[pick(len(order))]


def draw_types(chance: Chance, count: int) -> list[str]:
    """The types of a world's entities, shuffled: two of each, the rest by the world's shares."""
    shares = [(name, share * (0.6 + 0.8 * chance.random())) for name, share in SHARES.items()]
    types = list(TYPES) * 2 + [chance.weighted(shares) for _ in range(count - SMALLEST_WORLD)]
    return chance.shuffled(types)


def references(entity: Entity) -> tuple[Form, ...]:
    """How other entities' facts name this one: in full, or by a part of its name."""
    if entity.type == "creature":
        return (form(entity.base),)
    full = form(f"the {entity.base}" if entity.type == "event" else entity.named)
    return (full, form(entity.word)) if entity.word != entity.base else (full,)
