"""HTML taken out of a text, as a reader would see it.

Much text has angle brackets and ampersands of its own: ``List<Object>``, ``if a <b and c> d``, a
page about ``<table>``, ``?a=1&copy=2``. A tag is taken for HTML where it is closed, closes or has
attributes; one that needs no end also where it stands among such tags or touches a word, as in
``one<br>two``; and the name of a character where it ends with a semicolon.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple


def words(text: str) -> set[str]:
    """The words of a text, each once."""
    return set(text.split())


# Known tags only: "the tag <mine>" in a text is no tag of HTML.
BLOCKS = words("""
    address article aside blockquote br caption dd div dl dt figcaption figure footer form h1 h2 h3
    h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul
""")
INLINE = words("""
    a abbr acronym audio b bdi bdo big body button center cite code data del dfn em embed font head
    html i iframe img input ins kbd label link mark math meta object option param picture q rp rt
    ruby s samp select small source span strike strong sub sup svg textarea time tt u var video wbr
""")
HIDDEN = {"script", "style", "template", "title", "noscript"}
KNOWN = BLOCKS | INLINE | HIDDEN
BREAKS = {"br", "hr", "wbr"}
OPEN_ENDED = words("p li dd dt tr td th thead tbody tfoot")  # people leave out their ends
COMMENT = "<!--"

# Each part either matches or is given up at once, so that no text takes long.
TAG = re.compile(
    r"""(?P<nothing><!doctype\b[^<>]*+> | <!\[[^<>]*+> | <\?[a-z][^<>]*+>) | (?P<comment><!--)
      | <(?P<end>/?)(?P<name>[a-z][^\s/<>]*+)
        (?P<more>(?:[^<>"']|"[^"]*+"|'[^']*+')*+|[^<>]*+)>""",
    re.IGNORECASE | re.VERBOSE,
)
ENDS = {name: re.compile(rf"</{name}\b[^<>]*+>", re.IGNORECASE) for name in HIDDEN}
ENDS[COMMENT] = re.compile("-->")
ATTRIBUTES = re.compile(r"\s+[a-z:@_-][\w:.-]*\s*=|\s*/\s*\Z", re.IGNORECASE)
CHARACTER = re.compile(r"&(?:#[0-9]+|#x[0-9a-f]+|[a-z][a-z0-9]*);", re.IGNORECASE)
# Python refuses to read a number of thousands of digits, and no character has one of a hundred.
MOST_DIGITS = 100


class _Tag(NamedTuple):
    """What may be HTML, and whether it is one whatever else the text has."""

    start: int
    end: int
    name: str
    closes: bool
    sure: bool


def without_html(text: str) -> str:
    """The text alone: tags and comments go, entities are resolved, blocks become lines.

    A text without any of them stays as it is.

    >>> without_html("<p>A &amp; <b>B</b></p><p>C, if 1 < 2</p><style>p {}</style>")
    'A & B\\nC, if 1 < 2'
    """
    pieces, at = [], 0
    for tag in _markup(text) if "<" in text else ():
        pieces += text[at : tag.start], "\n" if tag.name in BLOCKS else ""
        at = tag.end
    seen = unescaped("".join([*pieces, text[at:]]))
    if seen == text or not seen.strip():  # a title such as <table> is no markup
        return text
    lines = (" ".join(line.split()) for line in seen.split("\n"))
    return "\n".join(filter(None, lines))


def unescaped(text: str) -> str:
    """The text with HTML's names and numbers of characters resolved."""
    return CHARACTER.sub(_character, text) if "&" in text else text


def _character(written: re.Match[str]) -> str:
    if len(written[0]) > MOST_DIGITS:
        return "\N{REPLACEMENT CHARACTER}"
    named = written[0][1:]
    known = named.startswith("#") or named in html5  # of &notit; Python would read &not
    return html.unescape(written[0]) if known else written[0]


def _markup(text: str) -> list[_Tag]:
    """What is HTML in a text, in its order."""
    ends: Counter[str] = Counter()
    sure: list[_Tag] = []
    perhaps: list[_Tag] = []
    for tag in reversed(list(_tags(text))):
        if tag.closes:
            ends[tag.name] += 1
        elif not tag.sure and ends[tag.name]:
            ends[tag.name] -= 1
        elif not tag.sure:
            perhaps.append(tag)
            continue
        sure.append(tag)
    also = [tag for tag in perhaps if tag.name in BREAKS | OPEN_ENDED]
    return sorted([*sure, *(tag for tag in also if sure or _touches(text, tag))])


def _tags(text: str) -> Iterator[_Tag]:
    """What looks like HTML; what readers don't see is one tag with all that stands in it."""
    unclosed: set[str] = set()
    at = 0
    while piece := TAG.search(text, at):
        at = piece.end()
        name = COMMENT if piece["comment"] else (piece["name"] or "").lower()
        if name in ENDS and not piece["end"] and name not in unclosed:
            if end := ENDS[name].search(text, at):
                at = end.end()
                yield _Tag(piece.start(), at, "", False, True)
                continue
            unclosed.add(name)
        if piece["nothing"]:
            yield _Tag(piece.start(), at, "", False, True)
        elif name in KNOWN:
            attributes = ATTRIBUTES.match(piece["more"]) is not None
            yield _Tag(piece.start(), at, name, bool(piece["end"]), attributes)


def _touches(text: str, tag: _Tag) -> bool:
    """Whether a tag that is alone touches a word, as one that is spoken of does not."""
    before, after = text[: tag.start][-1:], text[tag.end : tag.end + 1]
    if tag.name in BREAKS and before.strip():
        return True
    return after.isalnum() and (tag.name in BREAKS or before != " ")
