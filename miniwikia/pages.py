"""An entity's page: its facts, mixed with passages that link to other entities."""

from typing import NamedTuple

from miniwikia.chance import Chance
from miniwikia.entities import SORTS
from miniwikia.facts import Fact
from miniwikia.grammar import as_sentence
from miniwikia.sentences import SLOT, Sentences
from miniwikia.surfaces import Surface, common_noun, names
from miniwikia.world import World


class Link(NamedTuple):
    """A mention of entity ``target`` on page ``page``, at the tokens start to end (included).

    ``told`` are the facts of the target that the passage tells.
    """

    page: int
    start: int
    end: int
    text: str
    target: int
    told: tuple[Fact, ...]


class Page(NamedTuple):
    """A page's title, its text (tokens separated by spaces) and its links.

    ``starts`` are the tokens at which the sentences begin; the title stands before the first.
    """

    title: str
    text: str
    links: list[Link]
    starts: list[int]


class _Sentence(NamedTuple):
    """A sentence and, if a mention fills its SLOT, the mention's text, target and facts told."""

    text: str
    mention: str = ""
    target: int = -1
    told: tuple[Fact, ...] = ()


class PageWriter:
    """Writes the pages of a world in any order: each has random choices of its own.

    ``one_aspect`` is the share of passages whose facts are all of one aspect of their target, so
    that a mention's context points to one part of the description. The other passages tell facts of
    two aspects, if the target has them and the page has room.
    """

    def __init__(self, world: World, one_aspect: float = 1):
        self._world, self._one_aspect = world, one_aspect
        self._sentences = Sentences(world)

    def write(self, number: int) -> Page:
        """The page of entity ``number``; its text begins with the title, as ZESHEL's do."""
        title = self._world.entities[number].title
        tokens = title.replace("(", "( ").replace(")", " )").split(" ")
        links: list[Link] = []
        starts: list[int] = []
        for sentence in self._plan(number):
            starts.append(len(tokens))
            for position, token in enumerate(as_sentence(sentence.text).split(" ")):
                if token != SLOT:
                    tokens.append(token)
                    continue
                mention = sentence.mention
                if position == 0:
                    mention = mention[:1].upper() + mention[1:]
                start = len(tokens)
                tokens.extend(mention.split(" "))
                end = len(tokens) - 1
                links.append(Link(number, start, end, mention, sentence.target, sentence.told))
        return Page(title, " ".join(tokens), links, starts)

    def _plan(self, number: int) -> list[_Sentence]:
        """The page's sentences: the lead, then the entity's facts in order, mixed with the rest."""
        chance = self._world.chance("page", number)
        aspects = self._world.chance("aspects", number)  # so that one_aspect changes no other draw
        facts = self._world.facts.of[number]
        room = self._world.facts.lengths[number] - len(facts)
        result = [_Sentence(self._sentences.lead(number))]
        if room > 0 and self._world.entities[number].nickname:
            result.append(_Sentence(self._sentences.alias(number, chance)))
            room -= 1
        others: list[list[_Sentence]] = []
        while room > 0:
            passage = self._passage(number, room, chance, aspects) if chance.random() < 0.75 else []
            others.append(passage or [_Sentence(self._sentences.filler(chance))])
            room -= len(others[-1])
        own, rest, continued = iter(facts[1:]), iter(others), True
        for is_own in chance.shuffled([True] * (len(facts) - 1) + [False] * len(others)):
            if is_own:
                text = self._sentences.own(number, next(own), continued, chance)
                result.append(_Sentence(text))
            else:
                result.extend(next(rest))
            continued = is_own
        return result

    def _passage(self, number: int, room: int, chance: Chance, aspects: Chance) -> list[_Sentence]:
        """One to three sentences with a link to another entity and one or two of its facts.

        Unless the mention is a full name that no other entity has, at least one of the facts is
        true of the target alone; if the target has no such fact, there is no passage.
        """
        world, make = self._world, self._sentences
        target = chance.skewed(len(world.entities))
        entity = world.entities[target]
        if entity.base == world.entities[number].base:
            return []
        surface = self._surface(target, chance)
        unnamed = surface.weight == 0
        # Not "The smith was a smith": an entity without a name needs other facts.
        facts = chance.shuffled(world.facts.of[target][1 if unnamed else 0 :])
        if surface.text != entity.base or world.shared[entity.base.lower()] > 1:
            facts.sort(key=world.is_telling, reverse=True)
            if not facts or not world.is_telling(facts[0]):
                return []
        linked = room > 1 and chance.random() < 0.6
        told = facts[:1]
        if room > 1 + linked:
            kinds = world.grammar.kinds
            aspect = kinds[facts[0][0]].aspect
            one = aspects.random() < self._one_aspect
            told += [fact for fact in facts[1:] if (kinds[fact[0]].aspect == aspect) == one][:1]
        told = chance.shuffled(told)
        all_told = tuple(told)
        if linked:
            text = make.link(number, target, surface, chance)
        else:
            text = make.mentioning(target, told.pop(), surface, chance)
        more = [_Sentence(make.more(target, fact, surface, chance)) for fact in told]
        return [_Sentence(text, surface.text, target, all_told), *more]

    def _surface(self, target: int, chance: Chance) -> Surface:
        """How a passage mentions its target: by a name, or by the sort of thing that it is."""
        world = self._world
        entity = world.entities[target]
        if chance.random() < 0.65:
            return chance.weighted([(name, name.weight) for name in names(entity, world.lexicon)])
        count = len(world.lexicon.classes[SORTS[entity.type]][entity.sort])
        told = self._sentences.own_form(target, world.facts.of[target][0], 0, count)
        return common_noun(entity, told, chance, world.lexicon)
