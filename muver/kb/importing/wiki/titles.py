"""The titles of a wiki: its namespaces, and the page that a link means."""

import re
from urllib.parse import unquote

from msgspec import Struct

from muver.kb.importing.markup import unescaped

MEDIA, ARTICLE, FILE, CATEGORY = -2, 0, 6, 14
# Every wiki knows these beside its own names (MediaWiki's manual, "Namespaces").
EVERYWHERE = {
    "media": MEDIA, "special": -1, "talk": 1, "user": 2, "project": 4, "file": FILE, "image": FILE,
    "mediawiki": 8, "template": 10, "help": 12, "category": CATEGORY,
}  # fmt: skip
DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e]")  # marks of writing direction
LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)*|simple")


class Page(Struct, frozen=True):
    """The page that a link means; the title has its namespace's name before it."""

    namespace: int
    title: str


class Wiki(Struct, frozen=True):
    """What an export's head says of its wiki."""

    world: str
    namespaces: dict[str, int]  # numbers by lower-case name
    names: dict[int, str]  # the wiki's own, by number
    first_letter: bool = True  # whether the first letter of a title is always a capital

    def page(self, link: str) -> Page | None:
        """The page that a link's target names; None if it names none."""
        name = DIRECTION.sub("", unescaped(unquote(link))).partition("#")[0]
        name = " ".join(name.replace("_", " ").split()).removeprefix(":").strip()
        prefix, colon, rest = name.partition(":")
        namespace = self._namespace(prefix) if colon else None
        if namespace is None:
            return Page(ARTICLE, self._capital(name)) if name else None
        rest = rest.strip()
        own = self.names.get(namespace, prefix)
        return Page(namespace, f"{own}:{self._capital(rest)}") if rest else None

    def other_language(self, link: str) -> bool:
        """Whether a link without a text stands for the same page in another language."""
        prefix, colon, _ = link.strip().partition(":")
        known = self._namespace(prefix) is not None
        return bool(colon) and not known and LANGUAGE.fullmatch(prefix) is not None

    def _namespace(self, prefix: str) -> int | None:
        name = prefix.strip().lower()
        return self.namespaces.get(name, EVERYWHERE.get(name))

    def _capital(self, name: str) -> str:
        first = name[:1].upper()
        # Wikis leave letters alone whose capital is two letters, and Georgian ones.
        capital = self.first_letter and len(first) == 1 and not "\u1c90" <= first <= "\u1cbf"
        return first + name[1:] if capital else name
