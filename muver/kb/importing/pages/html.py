"""HTML as a reader sees it: lines of running text with their links."""

import re
from html.parser import HTMLParser

from msgspec import Struct

from muver.kb.importing.items import Link
from muver.kb.importing.markup import BLOCKS, HIDDEN

HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
# Code, tables and navigation are no running text.
LEFT_OUT = HIDDEN | {"pre", "table", "nav", "summary", "figure"}
LINES = BLOCKS - {"br"}
PIECE = re.compile(r"\s+|\S+")


class Line(Struct):
    """A paragraph, a list's item or a heading, with single spaces."""

    text: str
    links: list[Link]


class Page(Struct):
    """A page as its file has it."""

    title: str | None  # None where the page doesn't say it
    lines: list[Line]
    names: list[str] = []  # what links call it, beside its file's name


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.title = self.heading = self.target = None
        self.lines: list[Line] = []
        self.hidden = 0
        self._begin()

    def _begin(self):
        self.text, self.gap, self.start = "", False, None
        self.links: list[Link] = []

    def end_line(self):
        """Keep what was read as a line; the first heading of the first level is the title."""
        self._end_link()
        if self.heading == "h1" and self.title is None and self.text:
            self.title = self.text
        elif self.text:
            self.lines.append(Line(self.text, self.links))
        self._begin()

    def _end_link(self):
        if self.target and self.start is not None and self.heading is None:
            self.links.append(Link(self.start, len(self.text), self.target))
        self.start = None

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in LEFT_OUT
        self.gap |= tag == "br"
        if tag in LINES:
            self.end_line()
        if tag in HEADINGS:
            self.heading = tag
        elif tag == "a":
            self._end_link()
            self.target = dict(attributes).get("href")

    def handle_startendtag(self, tag, attributes):
        self.gap |= tag == "br"  # others are empty

    def handle_endtag(self, tag):
        self.hidden -= tag in LEFT_OUT and self.hidden > 0
        if tag in LINES:
            self.end_line()
        if tag in HEADINGS:
            self.heading = None
        elif tag == "a":
            self._end_link()
            self.target = None

    def handle_data(self, data):
        for piece in PIECE.findall("" if self.hidden else data):
            if piece.isspace():
                self.gap = True
                continue
            if self.gap and self.text:
                self.text += " "
            self.gap = False
            if self.target and self.start is None:
                self.start = len(self.text)
            self.text += piece


def read_html(html: str) -> Page:
    """A page's title, the text of its first ``h1``, and its lines."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.end_line()
    return Page(reader.title, reader.lines)
