"""Figures as inline SVG: only what draws is kept, in the colours of the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

from muver.io.errors import InputError

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DRAWS = frozenset(
    ("svg", "g", "defs", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon")
    + ("text", "tspan", "use", "clipPath", "title", "desc", "style", "marker", "symbol")
)
# Paper and ink follow the page, which is dark where the reader likes it so.
COLOURS = {
    "#ffffff": "var(--page)", "#000000": "currentColor", "#666666": "var(--soft)",
    "#e6e6e6": "var(--line)",
}  # fmt: skip


def inline(path: Path, name: str) -> str:
    """An SVG file as an element, "" if there is none; ``name`` comes before its ids."""
    if not path.is_file():
        return ""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: not a drawing ({error}). Make the figure again.") from None
    _clean(root, name)
    root.attrib.pop("width", None)  # as wide as its place; the view box keeps the proportions
    root.attrib.pop("height", None)
    root.set("fill", "currentColor")  # where a style says no colour
    root.set("aria-hidden", "true")  # its heading and its table say it in words
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", LINK)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, name: str) -> None:
    for child in list(element):
        space, _, tag = str(child.tag).rpartition("}")
        if tag not in DRAWS or space != f"{{{SVG}":
            element.remove(child)
        else:
            _clean(child, name)
    if element.tag == f"{{{SVG}}}style":
        element.text = re.sub(r"@import[^;]*;?|url\([^)]*\)", "", element.text or "")
    for key, value in list(element.attrib.items()):
        own = key.rpartition("}")[2]
        if own.startswith("on") or (own == "href" and not value.startswith("#")):
            del element.attrib[key]
        elif own == "id":
            element.set(key, f"{name}-{value}")
        elif own == "href":
            element.set(key, f"#{name}-{value[1:]}")
        else:
            value = re.sub(r"url\(#([^)]*)\)", rf"url(#{name}-\1)", value)
            for colour, ours in COLOURS.items():
                value = value.replace(colour, ours)
            element.set(key, value)
