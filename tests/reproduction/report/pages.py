"""Reading a page back: its text, and the data of the explorer."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

VOID = {"meta", "link", "input", "br", "img", "col", "hr", "wbr"}


class Reader(HTMLParser):
    """Collects visible text, and the ids; refuses elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.ids += [value for key, value in attrs if key == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text.append(data)


def read_page(path: Path) -> Reader:
    """Parse a page; all its elements are closed."""
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    assert reader.open == []
    return reader


def text_of(path: Path) -> str:
    """The page's visible text, white space joined."""
    return " ".join(" ".join(read_page(path).text).split())


def data_of(path: Path) -> dict[str, Any] | None:
    """The data that the script unpacks."""
    found = re.search(r'id="data">([^<]*)<', path.read_text(encoding="utf-8"))
    return json.loads(gzip.decompress(base64.b64decode(found[1]))) if found[1] else None
