"""A line that is not JSON of the expected form: why, in words."""

import msgspec
import pytest

from muver.retriever.corpus.jsonl import BadLine, line_parser


class Named(msgspec.Struct):
    name: str


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b" ", "empty"),
        (b"[]", "not a JSON object"),
        (b'{"name": 1}', "name"),
        (b'{"name": 1, "name": "a"}', "a key comes twice"),
        (b'{"name": "a', "not valid JSON"),
        (b'"name": "a"}', "not valid JSON"),  # the second line of an object over several
        (b'{"name": "\xff"}', "UTF-8"),
        (b'{"x": ' + b"[" * 5000, "nested"),
    ],
)
def test_why_a_line_is_refused(line, why):
    with pytest.raises(BadLine, match=why):
        line_parser(Named)(line)
