"""The common words of all worlds: concepts, each with several forms of the same meaning."""

import functools
import importlib.resources
import re
from typing import Any, NamedTuple

import yaml

_SOUNDS_LIKE_CONSONANT = re.compile(r"(?:uni|use|usu|eu|one\b|once\b)")
_SILENT_H = re.compile(r"(?:hour|heir|honest|honou?r)")
_HEAD = re.compile(r"(.+?)( (?:of|at|in|for) .+)?")


class Form(NamedTuple):
    """One wording of a concept or a name: as it is, with an article, in the plural."""

    bare: str
    a: str
    s: str


Concept = tuple[Form, ...]


class Lexicon(NamedTuple):
    """``classes[name]`` are the concepts of a class; the rest are parts of names."""

    classes: dict[str, tuple[Concept, ...]]
    epithets: tuple[str, ...]
    honorifics: dict[str, list[str]]
    words: frozenset[str]


def indefinite(phrase: str) -> str:
    """The phrase with "a" or "an" before it, by its sound.

    >>> indefinite("hour machine"), indefinite("union of houses")
    ('an hour machine', 'a union of houses')
    """
    start = phrase.lower()
    vowel = start[:1] in "aeiou" and not _SOUNDS_LIKE_CONSONANT.match(start)
    return f"{'an' if vowel or _SILENT_H.match(start) else 'a'} {phrase}"


def plural(phrase: str) -> str:
    """The plural of a noun phrase, whose head is the word before a preposition, or the last word.

    >>> plural("mender of bones"), plural("ferryman"), plural("spy")
    ('menders of bones', 'ferrymen', 'spies')
    """
    head, rest = _HEAD.fullmatch(phrase).groups(default="")  # type: ignore[union-attr]
    if head.endswith("man"):
        head = head[:-3] + "men"
    elif head.endswith("f"):
        head = head[:-1] + "ves"
    elif re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ies"
    elif re.search(r"(?:s|x|z|ch|sh)$", head):
        head += "es"
    else:
        head += "s"
    return head + rest


def read_data(name: str) -> Any:
    """Read one of the package's YAML files."""
    text = importlib.resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.lru_cache(2**16)
def form(text: str) -> Form:
    """The form of a countable singular noun phrase or a name."""
    return Form(text, indefinite(text), plural(text))


@functools.cache
def load_lexicon() -> Lexicon:
    data = read_data("lexicon.yaml")
    classes: dict[str, tuple[Concept, ...]] = {}
    for name, lines in data["nouns"].items():
        classes[name] = tuple(tuple(form(text) for text in line.split(" | ")) for line in lines)
    for name, lines in data["phrases"].items():
        classes[name] = tuple(
            tuple(Form(text, text, text) for text in line.split(" | ")) for line in lines
        )
    words = {
        word.lower()
        for concepts in classes.values()
        for concept in concepts
        for way in concept
        for word in way.bare.split()
    }
    return Lexicon(classes, tuple(data["epithets"]), data["honorifics"], frozenset(words))
