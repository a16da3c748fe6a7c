"""The forms that wikis' pages are written in: Markdown, MediaWiki's markup, PlanetMath's LaTeX."""

import re
from html import escape

from muver.kb.importing.items import Link
from muver.kb.importing.pages.html import Line, Page, read_html
from muver.kb.importing.sources import library
from muver.kb.importing.wiki.prose import DISAMBIGUATION, SHOWN, read_prose
from muver.kb.importing.wiki.titles import CATEGORY, Wiki

Rules = list[tuple[re.Pattern[str], str]]


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
    markdown_it = library("markdown_it")
    front = FRONT.match(text)
    title = front and TITLE.search(front[1])
    body = _apply(MARKDOWN, text[front.end() :] if front else text)
    page = read_html(markdown_it.MarkdownIt("commonmark").enable("table").render(body))
    return Page(title[2] if title else page.title, page.lines)


SHORT = re.compile(r"\[\[((?:[^\[\]|#:]*/)([^\[\]|/#]+)(?:#[^\[\]|]*)?)\]\]")


def mediawiki(text: str) -> Page:
    """MediaWiki's markup in TrueWiki's dialect, which shows the last part of a page's path."""
    library("mwparserfromhell")
    wiki = Wiki("", {"translation": CATEGORY}, {})
    prose = read_prose(SHORT.sub(r"[[\1|\2]]", text), wiki, SHOWN, DISAMBIGUATION)
    lines, start = [], 0
    for line in prose.text.split("\n"):
        end = start + len(line)
        own = [link for link in prose.links if start <= link.start < end]
        lines.append(
            Line(line, [Link(one.start - start, one.end - start, one.target) for one in own])
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
