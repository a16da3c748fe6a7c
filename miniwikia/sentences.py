"""State facts in sentences: on an entity's own page, and in other words on other pages."""

from miniwikia.chance import Chance, mixed
from miniwikia.entities import Entity
from miniwikia.facts import Fact
from miniwikia.grammar import Template
from miniwikia.lexicon import Form, form, indefinite
from miniwikia.surfaces import Surface
from miniwikia.world import World

SLOT = "\0"  # stands for a mention in a sentence until the tokens are counted

_PRONOUNS = {
    words[0]: {
        gap: Form(word, word, word) for gap, word in zip(("he", "his", "him"), words, strict=True)
    }
    for words in (("he", "his", "him"), ("she", "her", "her"), ("it", "its", "it"))
}


def has_the(entity: Entity) -> bool:
    """Whether the templates for this type of entity contain their own article ("the $S")."""
    return entity.type in ("creature", "event")


def _full_name(entity: Entity) -> Form:
    return form(entity.base if has_the(entity) else entity.named)


class Sentences:
    """Makes sentences about the entities of a world.

    A fact's wording on the entity's own page (the template, and the form of each concept) is a
    function of entity and fact, so that another page can avoid it without reading that page.
    """

    def __init__(self, world: World):
        self._world = world
        people = [entity.base for entity in world.entities if entity.type == "person"]
        places = [entity.base for entity in world.entities if entity.type == "place"]
        self._sources = people, places

    def own_form(self, number: int, fact: Fact, position: int, count: int) -> int:
        """Which of ``count`` forms an entity's page uses in a slot; -1 chooses the template."""
        return mixed(number, position + 1, *fact) % count

    def own(self, number: int, fact: Fact, continued: bool, chance: Chance) -> str:
        """A fact on the entity's own page.

        If ``continued``, the sentence before has the same subject, so a pronoun may stand for it.
        """
        template, values = self._own_words(number, fact)
        values["S"] = self._subject(self._world.entities[number], template, continued, chance)
        return self._dressed(template.fill(values), chance)

    def lead(self, number: int) -> str:
        """The first sentence of a page, with the entity's full name."""
        template, values = self._own_words(number, self._world.facts.of[number][0])
        values["S"] = _full_name(self._world.entities[number])
        return template.fill(values)

    def alias(self, number: int, chance: Chance) -> str:
        """The sentence of an entity's own page that gives its other name."""
        entity = self._world.entities[number]
        other = entity.nickname
        named = form(f"the {other}" if " of " in other else other)
        template = chance.pick(self._world.grammar.aliases)
        return template.fill({"S": form(entity.named), "N": named})

    def mentioning(self, target: int, fact: Fact, surface: Surface, chance: Chance) -> str:
        """A fact of another entity, in other words than on its page; SLOT marks the mention."""
        entity = self._world.entities[target]
        values = self._values(target, fact, chance)
        placed = f"the {SLOT}" if surface.article and not has_the(entity) else SLOT
        article = indefinite(surface.text).split(" ")[0]
        values["S"] = Form(placed, f"{article} {SLOT}", placed)
        template = self._other_template(target, fact, chance, named=True)
        return self._dressed(template.fill(values), chance)

    def more(self, target: int, fact: Fact, surface: Surface, chance: Chance) -> str:
        """Another fact of the entity that the sentence before mentions."""
        entity = self._world.entities[target]
        values = self._values(target, fact, chance)
        template = self._other_template(target, fact, chance, named=False)
        if template.begins_with_subject and chance.random() < 0.7:
            values["S"] = _PRONOUNS[entity.pronoun]["he"]
        else:
            the = surface.article and not has_the(entity)
            values["S"] = form(f"the {surface.text}" if the else surface.text)
        return self._dressed(template.fill(values), chance)

    def link(self, host: int, target: int, surface: Surface, chance: Chance) -> str:
        """A sentence that links the page's entity to another; SLOT stands for the mention."""
        entity = self._world.entities[host]
        placed = f"the {SLOT}" if surface.article else SLOT
        named = f"the {entity.base}" if has_the(entity) else entity.named
        template = chance.pick(self._world.grammar.links[self._world.entities[target].type])
        return template.fill({"S": form(named), "M": Form(placed, placed, placed)})

    def filler(self, chance: Chance) -> str:
        """A sentence that states no fact."""
        people, places = self._sources
        words = {
            "name": chance.pick(people),
            "place": chance.pick(places),
            "year": str(100 + chance.below(1300)),
            "small": str(2 + chance.below(60)),
        }
        template = chance.pick(self._world.grammar.fillers)
        return template.fill({gap: Form(word, word, word) for gap, word in words.items()})

    def _own_words(self, number: int, fact: Fact) -> tuple[Template, dict[str, Form]]:
        """The template and the forms in which the entity's own page states a fact."""
        tell = self._world.grammar.kinds[fact[0]].tell
        template = tell[self.own_form(number, fact, -1, len(tell))]
        return template, self._values(number, fact, None)

    def _values(self, number: int, fact: Fact, chance: Chance | None) -> dict[str, Form]:
        """What fills the gaps: the forms of the entity's page, or, with ``chance``, other ones."""
        values = dict(_PRONOUNS[self._world.entities[number].pronoun])
        slots = self._world.grammar.kinds[fact[0]].slots
        for position, ((gap, filler), value) in enumerate(zip(slots, fact[1:], strict=True)):
            forms = self._world.filling(filler, value)
            choice = self.own_form(number, fact, position, len(forms))
            if chance is not None and len(forms) > 1:
                choice = (choice + 1 + chance.below(len(forms) - 1)) % len(forms)
            values[gap] = forms[choice]
        return values

    def _subject(self, entity: Entity, template: Template, continued: bool, chance: Chance) -> Form:
        """What a page calls its own entity: a pronoun where it is clear, else a name."""
        draw = chance.random()
        if continued and template.begins_with_subject and draw < 0.6:
            return _PRONOUNS[entity.pronoun]["he"]
        if entity.type == "person" and draw < 0.8:
            return form(entity.word)
        return _full_name(entity)

    def _other_template(self, target: int, fact: Fact, chance: Chance, named: bool) -> Template:
        """Another template than the entity's page uses; if ``named``, one with room for a name."""
        tell = self._world.grammar.kinds[fact[0]].tell
        own = self.own_form(target, fact, -1, len(tell))
        others = [
            template
            for i, template in enumerate(tell)
            if i != own and (template.has_subject or not named)
        ]
        return chance.pick(others)

    def _dressed(self, sentence: str, chance: Chance) -> str:
        """The sentence, sometimes with an opener or a closer."""
        draw = chance.random()
        if draw < 0.15:
            return f"{chance.pick(self._world.grammar.openers)} {sentence}"
        if draw < 0.25 and sentence.endswith(" ."):
            return f"{sentence[:-2]} {chance.pick(self._world.grammar.closers)} ."
        return sentence
