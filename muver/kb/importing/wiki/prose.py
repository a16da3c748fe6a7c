"""Wikitext as a reader sees it: the text with its links, sections and categories."""

import re
from itertools import takewhile
from typing import Any

from msgspec import Struct

from muver.kb.importing.items import Link
from muver.kb.importing.markup import BLOCKS, INLINE, unescaped
from muver.kb.importing.wiki.titles import CATEGORY, FILE, MEDIA, Wiki


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


HIDDEN = _names(
    "ce chem gallery graph hiero imagemap includeonly indicator mapframe maplink math ref "
    "references score script section source style syntaxhighlight table templatedata "
    "templatestyles timeline"
)
LINES = _names("blockquote br center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p poem pre ul")
# Templates of many wikis that show a parameter or two of theirs; of others nothing is shown.
SHOWN = {
    "lang": ["2"], "nowrap": ["1"], "nobr": ["1"], "abbr": ["1"], "convert": ["1", "2"],
    "cvt": ["1", "2"], "quote": ["1"], "blockquote": ["1"], "transl": ["2"],
}  # fmt: skip
# What marks a page that tells pages of one name apart, in the larger Wikipedias.
DISAMBIGUATION = _names(
    "aimai begriffsklärung bkl dab desambiguación desambiguação disamb disambig disambigua "
    "disambiguation doorverwijspagina dp egyért förgrening geodis hndis homonymie rozcestník "
    "ujednoznacznienie неоднозначность багатозначність توضيح פירושונים 曖昧さ回避 消歧义 消歧義 "
    "동음이의 αποσαφήνιση"
) | {"human name disambiguation", "trang định hướng", "anlam ayrımı"}
# What is left of markup that was not closed.
TAGS = "|".join(BLOCKS | INLINE | {"gallery", "includeonly", "noinclude", "nowiki", "poem", "ref"})
REST = re.compile(
    r"__[A-Z]+__|\{\{+|\}\}+|\[\[+|\]\]+|\{\||\|\}|'{2,}" rf"|</?(?:{TAGS})\b[^<>]*>", re.IGNORECASE
)
PARAGRAPH = re.compile(r"\n\s*\n")
TARGET = re.compile(r"[^\[\]{}<>|\n]+")


class Section(Struct):
    """A heading, and the character of the text at which it stands."""

    title: str
    level: int
    start: int


class Prose:
    """A text in the making, with white space as in print."""

    def __init__(self, wiki: Wiki, shown: dict[str, list[str]], marks: frozenset[str]):
        self.wiki, self.shown, self.marks = wiki, shown, marks
        self.links: list[Link] = []  # in the order of the text
        self.sections: list[Section] = []  # that have some text
        self.categories: list[str] = []
        self.disambiguates = False  # a template or a magic word marks the page so
        self._pieces: list[str] = []
        self._length = 0
        self._gap = ""
        self._headings: list[Section] = []  # that have no text yet
        self._after_link = False

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, raw: str) -> None:
        """Append text; blank lines part paragraphs, other white space is a space."""
        if self._after_link:
            raw = raw[self._trail(raw) :]
        for number, paragraph in enumerate(PARAGRAPH.split(raw)):
            if number:
                self._gap = "\n"
            words = paragraph.split()
            if words:
                if paragraph[0].isspace():
                    self._gap = self._gap or " "
                self._put(" ".join(words))
            if paragraph[-1:].isspace():
                self._gap = self._gap or " "

    def line(self) -> None:
        """What follows begins a line."""
        self._gap, self._after_link = "\n", False

    def heading(self, title: str, level: int) -> None:
        """Begin a section; its heading is written once text follows."""
        self.line()
        while self._headings and self._headings[-1].level >= level:
            self._headings.pop()
        if title:
            self._headings.append(Section(title, level, 0))

    def link(self, label: str, target: str) -> None:
        """Append a link to the page of this title."""
        self._put(label)
        self.links.append(Link(self._length - len(label), self._length, target))
        self._after_link = True

    def walk(self, code: Any) -> None:
        """Append parsed wikitext."""
        from mwparserfromhell import nodes

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
            self.link(label, page.title)

    def _template(self, node: Any) -> None:
        name = " ".join(str(node.name).replace("_", " ").split()).lower()
        name = name.removeprefix("template:").strip()
        self.disambiguates |= name in self.marks
        values = [node.get(one).value for one in self.shown.get(name, []) if node.has(one)]
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
            self.line()
        if node.contents is not None:
            self.walk(node.contents)
            self._after_link = False
            if name in LINES:
                self.line()

    def _inner(self, code: Any) -> str:
        """The text of a part; its links are not kept as such."""
        inner = Prose(self.wiki, self.shown, self.marks)
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
        for heading in self._headings:
            self._begin("\n")
            heading.start = self._length
            self.sections.append(heading)
            self._write(heading.title)
            self._gap = "\n"
        self._headings.clear()
        self._begin(self._gap)
        self._write(words)
        self._gap = ""

    def _begin(self, gap: str) -> None:
        if self._length:
            self._write(gap)

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)


def read_prose(
    wikitext: str, wiki: Wiki, shown: dict[str, list[str]], marks: frozenset[str]
) -> Prose:
    """Parse wikitext (mwparserfromhell) and put together what a reader sees of it.

    Templates show nothing, but for those in ``shown``: their parameters of these names. Tables,
    references, galleries, formulas and comments are left out, list items and headings are lines.
    ``marks`` are templates of disambiguation pages.
    """
    import mwparserfromhell

    prose = Prose(wiki, shown, marks)
    prose.walk(mwparserfromhell.parse(wikitext))
    return prose
