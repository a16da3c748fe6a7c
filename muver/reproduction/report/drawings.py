"""Figures as inline SVG, in the colours of the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
HREF = f"{{{LINK}}}href"
# Paper and ink follow the page, which is dark where the reader likes it so.
COLOURS = {
    "#ffffff": "var(--page)", "#000000": "currentColor", "#666666": "var(--soft)",
    "#e6e6e6": "var(--line)",
}  # fmt: skip


def inline(path: Path, name: str) -> str:
    """matplotlib's SVG file as an element, "" if there is none; ``name`` comes before its ids."""
    if not path.is_file():
        return ""
    root = ElementTree.parse(path).getroot()
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        for key, value in element.attrib.items():
            element.set(key, _of_page(key, value, name))
    root.attrib.pop("width", None)  # as wide as its place; the view box keeps the proportions
    root.attrib.pop("height", None)
    root.set("fill", "currentColor")  # where a style says no colour
    root.set("aria-hidden", "true")  # its heading and its table say it in words
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", LINK)
    return ElementTree.tostring(root, encoding="unicode")


def _of_page(key: str, value: str, name: str) -> str:
    """An attribute's value with ids of this drawing alone, and the page's colours."""
    if key == "id":
        return f"{name}-{value}"
    if key == HREF:
        return f"#{name}-{value.removeprefix('#')}"
    value = re.sub(r"url\(#([^)]*)\)", rf"url(#{name}-\1)", value)
    for colour, ours in COLOURS.items():
        value = value.replace(colour, ours)
    return value
