"""One line of entity.jsonl."""

import json

import pytest

from muver.corpus.kilt.pages import BadLine
from muver.corpus.texts.line import read_line

ADDRESS = "https://en.wikipedia.org/wiki?curid=12"


def line(**changes) -> bytes:
    entity = {
        "text": " Anarchism is . ",
        "idx": ADDRESS,
        "title": "Anarchism",
        "entity": "Anarchism",
    }
    return json.dumps({**entity, **changes}).encode()


@pytest.mark.parametrize("idx", [ADDRESS, "12", 12, "curid= 12 "])
def test_id_and_text(idx):
    assert read_line(line(idx=idx)) == (12, "Anarchism is .")


def test_an_empty_text():
    assert read_line(line(text=" ")) == (12, "")


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"idx": "https://en.wikipedia.org/wiki/Anarchism"}, "idx .* is not a number"),
        ({"idx": "curid="}, 'idx "" is not a number'),
        ({"idx": None}, "idx null is not a number"),
        ({"idx": "9" * 19}, "more than 18 digits"),
        ({"text": ["Anarchism"]}, "text is no text but"),
        ({"text": "\ud800"}, "half a surrogate pair|not valid JSON"),
    ],
)
def test_a_value_that_cannot_be(changes, message):
    with pytest.raises(BadLine, match=message):
        read_line(line(**changes))


def test_a_key_is_missing():
    with pytest.raises(BadLine, match="the key 'idx' is missing"):
        read_line(b'{"text": "x", "title": "y"}')
