"""Data and texts inside an HTML page: compressed, and unable to end the element they stand in."""

import base64
import gzip
import html
import json
from typing import Any


def compressed(value: Any) -> str:
    """JSON, gzipped, in base64: the same text for the same value."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 6, mtime=0)).decode("ascii")


def in_script(value: Any) -> str:
    """JSON that may stand in a script element: no ``<`` of the data is left as it is.

    >>> in_script({"title": "</script>"})
    '{"title": "\\\\u003c/script>"}'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c")


def text(value: object) -> str:
    """Text for element content and for attributes in double quotes.

    >>> text('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(str(value))
