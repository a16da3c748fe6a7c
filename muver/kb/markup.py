"""HTML taken out of a description, as a reader would see it."""

import re
from html.parser import HTMLParser

HINT = re.compile(r"</?[a-zA-Z]|<!|&#?\w+;")


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


# Known tags only: "the tag <mine>" in a text is no tag of HTML.
BLOCKS = _tags(
    "address article aside blockquote br caption dd div dl dt figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 header hr li main nav ol p pre section table tbody td tfoot th thead tr ul"
)
INLINE = _tags(
    "a abbr acronym audio b bdi bdo big body button center cite code data del dfn em embed font "
    "head html i iframe img input ins kbd label link mark math meta object option param picture q "
    "rp rt ruby s samp select small source span strike strong sub sup svg textarea time tt u var "
    "video wbr"
)
HIDDEN = _tags("script style template title noscript")


class _Text(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in HIDDEN
        self._tag(tag)

    def handle_startendtag(self, tag, attributes):
        self._tag(tag)

    def handle_endtag(self, tag):
        self.hidden -= tag in HIDDEN and self.hidden > 0
        self._tag(tag)

    def _tag(self, tag):
        if tag in BLOCKS:
            self.pieces.append("\n")
        elif tag not in INLINE | HIDDEN:
            self.pieces.append(self.get_starttag_text() or "")

    def handle_data(self, data):
        if not self.hidden:
            self.pieces.append(data)


def has_html(text: str) -> bool:
    """Whether there may be something to take out."""
    return HINT.search(text) is not None


def without_html(text: str) -> str:
    """The text alone: tags and comments go, entities are resolved, blocks become lines.

    >>> without_html("<p>A &amp; <b>B</b></p><p>C, if 1 < 2</p><style>p {}</style>")
    'A & B\\nC, if 1 < 2'
    """
    parser = _Text()
    parser.feed(text)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return "\n".join(filter(None, lines))
