"""Wikitext as a reader sees it: the text with its links, sections and categories."""

import re
from itertools import takewhile
from typing import Any
from urllib.parse import unquote

import mwparserfromhell
from msgspec import Struct, field
from mwparserfromhell import nodes

from muver.kb.importing.markup import BLOCKS, INLINE, unescaped, words
from muver.kb.importing.schema import Link

MEDIA, ARTICLE, FILE, CATEGORY = -2, 0, 6, 14
# Every wiki knows these beside its own names (MediaWiki's manual, "Namespaces").
EVERYWHERE = {
    "media": MEDIA, "special": -1, "talk": 1, "user": 2, "project": 4, "file": FILE, "image": FILE,
    "mediawiki": 8, "template": 10, "help": 12, "category": CATEGORY,
}  # fmt: skip
DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e]")  # marks of writing direction
LANGUAGE = re.compile(r"([a-z]{2,3}(?:-[a-z]+)*|simple):")
HIDDEN = words("""
    ce chem gallery graph hiero imagemap includeonly indicator mapframe maplink math ref references
    score script section source style syntaxhighlight table templatedata templatestyles timeline
""")
LINES = words("blockquote br center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p poem pre ul")
# Templates of many wikis that show a parameter or two of theirs; of others nothing is shown.
SHOWN = {
    "lang": ["2"], "nowrap": ["1"], "nobr": ["1"], "abbr": ["1"], "convert": ["1", "2"],
    "cvt": ["1", "2"], "quote": ["1"], "blockquote": ["1"], "transl": ["2"],
}  # fmt: skip
# What marks a page that tells pages of one name apart, in the larger Wikipedias.
DISAMBIGUATION = words("""
    aimai begriffsklärung bkl dab desambiguación desambiguação disamb disambig disambigua
    disambiguation doorverwijspagina dp egyért förgrening geodis hndis homonymie rozcestník
    ujednoznacznienie неоднозначность багатозначність توضيح פירושונים 曖昧さ回避 消歧义 消歧義
    동음이의 αποσαφήνιση
""") | {"human name disambiguation", "trang định hướng", "anlam ayrımı"}
# What is left of markup that was not closed.
TAGS = "|".join(BLOCKS | INLINE | {"gallery", "includeonly", "noinclude", "nowiki", "poem", "ref"})
REST = re.compile(
    r"__[A-Z]+__|\{\{+|\}\}+|\[\[+|\]\]+|\{\||\|\}|'{2,}" rf"|</?(?:{TAGS})\b[^<>]*>", re.IGNORECASE
)
PIECE = re.compile(r"\s+|\S+(?: \S+)*")  # white space, or words with single spaces between them
PARAGRAPH = re.compile(r"\n\s*\n")
TARGET = re.compile(r"[^\[\]{}<>|\n]+")


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
    shown: dict[str, list[str]] = field(default_factory=lambda: SHOWN)
    marks: set[str] = field(default_factory=lambda: DISAMBIGUATION)

    def page(self, link: str) -> Page | None:
        """The page that a link's target names; None if it names none."""
        name = DIRECTION.sub("", unescaped(unquote(link))).partition("#")[0]
        name = " ".join(name.replace("_", " ").split()).removeprefix(":").strip()
        prefix, colon, rest = name.partition(":")
        namespace = self._namespace(prefix) if colon else None
        if namespace is None:
            return Page(ARTICLE, self._capital(name)) if name else None
        rest = rest.strip()
        kind = self.names.get(namespace, prefix)
        return Page(namespace, f"{kind}:{self._capital(rest)}") if rest else None

    def other_language(self, link: str) -> bool:
        """Whether a link without a text stands for the same page in another language."""
        language = LANGUAGE.match(link.strip())
        return language is not None and self._namespace(language[1]) is None

    def _namespace(self, prefix: str) -> int | None:
        name = prefix.strip().lower()
        return self.namespaces.get(name, EVERYWHERE.get(name))

    def _capital(self, name: str) -> str:
        first = name[:1].upper()
        # Wikis leave letters alone whose capital is two letters, and Georgian ones.
        capital = self.first_letter and len(first) == 1 and not "\u1c90" <= first <= "\u1cbf"
        return first + name[1:] if capital else name


class Prose:
    """A text in the making, with white space as in print."""

    def __init__(self, wiki: Wiki):
        self.wiki = wiki
        self.links: list[Link] = []  # in the order of the text
        self.categories: list[str] = []
        self.disambiguates = False  # a template or a magic word marks the page so
        self._pieces: list[str] = []
        self._length = 0
        self._gap = ""
        self._headings: list[tuple[int, str]] = []  # levels and titles, that have no text yet
        self._after_link = False

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, raw: str) -> None:
        """Append text; blank lines part paragraphs, other white space is a space."""
        if self._after_link:
            raw = raw[self._trail(raw) :]
        for piece in PIECE.findall(raw):
            if piece.isspace():
                self._gap = "\n" if PARAGRAPH.search(piece) else self._gap or " "
            else:
                self._put(piece)

    def _begin_line(self) -> None:
        self._gap, self._after_link = "\n", False

    def heading(self, title: str, level: int) -> None:
        """Begin a section; its heading is written once text follows."""
        self._begin_line()
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        if title:
            self._headings.append((level, title))

    def walk(self, code: Any) -> None:
        """Append parsed wikitext."""
        for node in code.nodes:
            self._after_link &= isinstance(node, nodes.Text | nodes.Comment)
            match node:
                case nodes.Text():
                    self.disambiguates |= "__DISAMBIG__" in node.value
                    self.add(REST.sub("", node.value))
                case nodes.HTMLEntity():
                    self.add(node.normalize())
                case nodes.Heading():
                    self.heading(self._inner(node.title), node.level)
                case nodes.Wikilink():
                    self._wikilink(node)
                case nodes.ExternalLink() if node.title is not None:
                    self.walk(node.title)
                case nodes.Template():
                    self._template(node)
                case nodes.Tag():
                    self._tag(node)

    def _wikilink(self, node: Any) -> None:
        named, text = str(node.title), node.text
        page = self.wiki.page(named) if TARGET.fullmatch(named.strip()) else None
        seen = named.strip().startswith(":")  # [[:Category:X]] is a link in the text
        if page is not None and not seen:
            if page.namespace == FILE:
                return
            if page.namespace == CATEGORY:
                self.categories.append(page.title.partition(":")[2])
                return
            if text is None and self.wiki.other_language(named):
                return
        label = self._inner(text) if text is not None else named.strip().removeprefix(":")
        label = " ".join(unescaped(REST.sub("", label)).replace("_", " ").split())
        if not label:
            return
        if page is None or page.namespace == MEDIA:
            self.add(label)
        else:
            if str(text if text is not None else named)[:1].isspace():
                self._gap = self._gap or " "
            self._put(label)
            self.links.append(Link(self._length - len(label), self._length, page.title))
            self._after_link = True

    def _template(self, node: Any) -> None:
        name = " ".join(str(node.name).replace("_", " ").split()).lower()
        name = name.removeprefix("template:").strip()
        self.disambiguates |= name in self.wiki.marks
        values = [node.get(key).value for key in self.wiki.shown.get(name, []) if node.has(key)]
        for number, value in enumerate(values):
            if number:
                self.add(" ")
            self.walk(value)

    def _tag(self, node: Any) -> None:
        name = str(node.tag).strip().lower()
        hidden = "display:none" in "".join(map(str, node.attributes)).replace(" ", "").lower()
        if name in HIDDEN or hidden:
            return
        if name in LINES:
            self._begin_line()
        if node.contents is not None:
            self.walk(node.contents)
            self._after_link = False
            if name in LINES:
                self._begin_line()

    def _inner(self, code: Any) -> str:
        """The text of a part; its links are not kept as such."""
        inner = Prose(self.wiki)
        inner.walk(code)
        return " ".join(inner.text.split())

    def _trail(self, raw: str) -> int:
        """Letters right behind a link are of its text: [[cat]]s. Returns how many."""
        self._after_link = False
        trail = "".join(takewhile(str.islower, raw))
        if trail and not self._gap:
            last = self.links[-1]
            self._put(trail)
            self.links[-1] = Link(last.start, self._length, last.target)
            return len(trail)
        return 0

    def _put(self, words: str) -> None:
        self._after_link = False
        for text in [*(title for _, title in self._headings), words]:
            for piece in (self._gap if self._length else "", text):
                self._pieces.append(piece)
                self._length += len(piece)
            self._gap = "\n"
        self._headings.clear()
        self._gap = ""


def read_prose(wikitext: str, wiki: Wiki) -> Prose:
    """Parse wikitext (mwparserfromhell) and put together what a reader sees of it.

    Templates show nothing, but for the wiki's ``shown``: their parameters of these names. Tables,
    references, galleries, formulas and comments are left out, list items and headings are lines.
    """
    prose = Prose(wiki)
    prose.walk(mwparserfromhell.parse(wikitext))
    return prose
