"""Ranges that follow each other give every line once, whatever they cut through."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from muver.retriever.corpus.kilt.lines import lines_between

LINES = st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"-")), max_size=8)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "file"


@hypothesis_settings(max_examples=200, deadline=None)
@given(lines=LINES, step=st.integers(1, 30), longest=st.integers(1, 12), ended=st.booleans())
def test_any_cut_gives_every_line_once(file, lines, step, longest, ended):
    data = b"\n".join(lines) + (b"\n" if ended else b"")
    file.write_bytes(data)
    expected, offset = [], 0
    for line in _split(data):
        long = len(line) > longest + line.endswith(b"\n")
        expected.append((offset, None if long else line))
        offset += len(line)
    found = [
        (line.offset, line.text)
        for start in range(0, len(data), step)
        for line in lines_between(file, start, min(start + step, len(data)), longest)
    ]
    assert found == expected


def _split(data: bytes) -> list[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def test_the_last_line_may_have_no_end(file):
    file.write_bytes(b"one\ntwo")
    assert [line.ended for line in lines_between(file, 0, 7, 100)] == [True, False]
    assert list(lines_between(file, 0, 7, 2)) == [(0, None, True), (4, None, True)]
    file.write_bytes(b"one\ntwo\n")
    assert [line.ended for line in lines_between(file, 0, 8, 100)] == [True, True]
