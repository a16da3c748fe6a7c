"""HTML taken out of a text, as a reader would see it."""

import html
import re


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

# Each part either matches or is given up at once, so that no text takes long. What is not closed at
# the end, a comment or a script, is not seen, as in a browser.
MARKUP = re.compile(
    r"""<!--.*?(?:-->|\Z)
      | <(script|style|template|title|noscript)\b[^<>]*+>.*?(?:</\1\b[^<>]*+>|\Z)
      | <[!?][^<>]*+>
      | </?([a-z][^\s/<>]*+)(?:(?:[^<>"']|"[^"]*+"|'[^']*+')*+|[^<>]*+)>""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
# Python refuses to read a number of thousands of digits, and no character has one of a hundred.
NO_CHARACTER = re.compile("&#[0-9]{100,};?")


def without_html(text: str) -> str:
    """The text alone: tags and comments go, entities are resolved, blocks become lines.

    A text without any of them stays as it is.

    >>> without_html("<p>A &amp; <b>B</b></p><p>C, if 1 < 2</p><style>p {}</style>")
    'A & B\\nC, if 1 < 2'
    """
    seen = unescaped(MARKUP.sub(_seen, text))
    if seen == text:
        return text
    lines = (" ".join(line.split()) for line in seen.split("\n"))
    return "\n".join(filter(None, lines))


def unescaped(text: str) -> str:
    """The text with HTML's names and numbers of characters resolved."""
    return html.unescape(NO_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text))


def _seen(markup: re.Match[str]) -> str:
    name = (markup[2] or "").lower()
    if name in BLOCKS:
        return "\n"
    return markup[0] if name and name not in INLINE | HIDDEN else ""
