"""The ways to mention an entity."""

from typing import NamedTuple

from miniwikia.chance import Chance
from miniwikia.entities import SORTS, Entity
from miniwikia.lexicon import Lexicon


class Surface(NamedTuple):
    """A mention's text (tokens separated by spaces), and whether "the" goes before it."""

    text: str
    article: bool
    weight: float


def names(entity: Entity, lexicon: Lexicon) -> list[Surface]:
    """The names of an entity, each with a weight for how usual it is."""
    the_type = entity.type in ("creature", "event")
    result = [Surface(entity.base, entity.article or the_type, 2.0)]
    if entity.type == "person" and entity.base != entity.word:
        given = entity.base.split()[0]
        honorifics = lexicon.honorifics[entity.pronoun]
        honorific = honorifics[len(entity.base) % len(honorifics)]
        result += [
            Surface(entity.word, False, 2.0),
            Surface(given, False, 1.0),
            Surface(f"{given[0]} . {entity.word}", False, 1.0),
            Surface(f"{honorific} {entity.word}", False, 1.5),
        ]
    elif entity.base != entity.word:
        result.append(Surface(entity.word, the_type, 2.0))
    if entity.nickname:
        result.append(Surface(entity.nickname, " of " in entity.nickname, 3.0))
    return result


def common_noun(entity: Entity, told: int, chance: Chance, lexicon: Lexicon) -> Surface:
    """What sort of thing the entity is ("the mariner"), in another form than ``told``."""
    forms = lexicon.classes[SORTS[entity.type]][entity.sort]
    other = (told + 1 + chance.below(len(forms) - 1)) % len(forms)
    return Surface(forms[other].bare, True, 0.0)
