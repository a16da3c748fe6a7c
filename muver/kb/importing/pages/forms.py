"""Pages of wikis as a reader sees them: HTML, Markdown, MediaWiki's markup, PlanetMath's LaTeX."""

import re
from html import escape
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from msgspec import Struct

from muver.kb.importing.markup import BLOCKS, HIDDEN
from muver.kb.importing.schema import Link
from muver.kb.importing.wikitext import CATEGORY, Wiki, read_prose

Rules = list[tuple[re.Pattern[str], str]]
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
        elif self.text and not self._in_contents():
            self.lines.append(Line(self.text, self.links))
        self._begin()

    def _in_contents(self) -> bool:
        """Whether the line is an entry of the page's own table of contents."""
        whole = [link.target for link in self.links if link.end - link.start == len(self.text)]
        return bool(whole) and whole[0].startswith("#")

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


def _rules(*pairs: tuple[str, str]) -> Rules:
    return [(re.compile(pattern, re.DOTALL | re.MULTILINE), by) for pattern, by in pairs]


def _apply(rules: Rules, text: str) -> str:
    for pattern, by in rules:
        text = pattern.sub(by, text)
    return text


TITLE = re.compile(r"""^title:\s*(["']?)(.+?)\1\s*$""", re.MULTILINE)
FRONT = re.compile(
    r"\A\s*(?:---[ \t]*\n)?((?:\w[\w .-]*:.*\n(?:[ \t-].*\n|[ \t]*\n)*)+)---[ \t]*\n"
)
MARKDOWN = _rules(  # what generators of sites put into Markdown
    (r"\[!include\s*\[[^\]]*\]\([^)]*\)\]", ""),
    (r"^\s*:::[^\n]*", ""),
    (r"<xref:([^>?]+)[^>]*>", r"\1"),
    (r"^(#{1,6})(?=[^#\s])", r"\1 "),  # older dialects need no space
    (r"\[![A-Za-z]+\]", ""),
    (r'\{\{#concept "([^"]*)"[^}]*\}\}', r"\1"),
    (r"\{\{[^}]*\}\}|\{%.*?%\}|\{#[^}]*\}|__[A-Z]+__", ""),
)


def markdown(text: str) -> Page:
    """Markdown as CommonMark says, with tables, and with YAML before it."""
    front = FRONT.match(text)
    title = front and TITLE.search(front[1])
    body = _apply(MARKDOWN, text[front.end() :] if front else text)
    page = read_html(MarkdownIt("commonmark").enable("table").render(body))
    return Page(title[2] if title else page.title, page.lines)


SHORT = re.compile(r"\[\[((?:[^\[\]|#:]*/)([^\[\]|/#]+)(?:#[^\[\]|]*)?)\]\]")


def mediawiki(text: str) -> Page:
    """MediaWiki's markup in TrueWiki's dialect, which shows the last part of a page's path."""
    wiki = Wiki("", {"translation": CATEGORY}, {})
    prose = read_prose(SHORT.sub(r"[[\1|\2]]", text), wiki)
    lines, start = [], 0
    for line in prose.text.split("\n"):
        end = start + len(line)
        links = [link for link in prose.links if start <= link.start < end]
        lines.append(
            Line(line, [Link(link.start - start, link.end - start, link.target) for link in links])
        )
        start = end + 1
    return Page(None, lines)


GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
DROPPED = (
    "figure|table|tabular|thebibliography|displaymath|eqnarray|"
    "(?:narrow)?(?:equation|align|gather|multline)"
)
LATEX = _rules(  # to HTML; what is left is taken for text
    (r"^[ \t]*%[^\n]*\n|(?<!\\)%[^\n]*", ""),
    (rf"\s*\\begin\{{((?:{DROPPED})\*?)\}}.*?\\end\{{\1\}}[ \t]*\n?", " "),
    (r"\s*(?:\$\$.*?\$\$|\\\[.*?\\\])[ \t]*\n?|\\xymatrix[^\n]*", " "),
    (r"\\PMlinkescape(?:word|phrase)\{[^}]*\}", ""),
    (rf"\\PMlinkescapetext{GROUP}", r"\1"),
    (rf"\\PMlink(?:name|id){GROUP}\{{([^{{}}]*)\}}", r'<a href="\2">\1</a>'),
    (rf"\\(?:PMlinkexternal|htmladdnormallink|href){GROUP}\{{[^{{}}]*\}}", r"\1"),
    (r"\\(?:sub)*(?:section|paragraph)\*?" + GROUP, r"<h2>\1</h2>"),
    (r"\\(?:cite|ref|eqref|label|includegraphics|vspace|hspace)\*?(?:\[[^\]]*\])?\{[^}]*\}", ""),
    (r"\\(?:begin|end)\{[^}]*\}(?:\[[^\]]*\])?|\\item(?:\[[^\]]*\])?|\n\s*\n", "<p>"),
    (r"\\['`^\"~=.uvHc](?:\{\\?([A-Za-z])\}|(?<!\\[uvHc])([A-Za-z]))", r"\1\2"),
    (r"\\\\(?:\[[^\]]*\])?|\\[,;:! ]|~", " "),
    (r"\\(?:math\w+|text\w*|emph|operatorname|em|bf|it|rm|left|right|displaystyle|q?quad)\b", " "),
    (r"\\([A-Za-z]+)", r" \1 "),
    (r"``|''", '"'),
    (r"\\([{}$%&#_])", r"\1"),
    (r"[{}$]", ""),
)
BODY = re.compile(r"\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)", re.DOTALL)
NAMES = re.compile(r"\\pmcanonicalname\{([^{}]*)\}")
PM_TITLE = re.compile(r"\\pmtitle" + GROUP)


def latex(text: str) -> Page:
    """An article of PlanetMath. Displayed formulas are left out, commands are shown by name."""
    title, body = PM_TITLE.search(text), BODY.search(text)

    def shown(part: str) -> Page:
        return read_html(_apply(LATEX, escape(part, quote=False)))

    heading = shown(title[1]).lines if title else []
    page = shown(body[1] if body else "")
    return Page(heading[0].text if heading else None, page.lines, NAMES.findall(text))


FORMS = {"markdown": markdown, "mediawiki": mediawiki, "latex": latex}
