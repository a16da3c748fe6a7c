"""One line of BLINK's ``entity.jsonl``: the id of a page of Wikipedia and its text."""

from typing import NamedTuple

from muver.corpus.kilt.pages import as_id, as_text, json_object

KEYS = ("idx", "text")
BEFORE_ID = "curid="


class EntityText(NamedTuple):
    """A page's text, stripped; it may be empty."""

    id: int
    text: str


def read_line(line: bytes) -> EntityText:
    """The text of a line; ``title``, ``entity`` and further keys are passed over.

    ``idx`` is the page's address, which ends with its id, or the id itself.

    Raises
    ------
    muver.corpus.kilt.pages.BadLine
        If the line is not a JSON object with an id of digits and a text.

    Examples
    --------
    >>> read_line(b'{"idx": "https://en.wikipedia.org/wiki?curid=12", "text": " Anarchism is"}')
    EntityText(id=12, text='Anarchism is')
    """
    value = json_object(line, KEYS)
    idx = value["idx"]
    if isinstance(idx, str):
        idx = idx.rpartition(BEFORE_ID)[2].strip()
    return EntityText(int(as_id(idx, "idx")), as_text(value["text"], "text").strip())
