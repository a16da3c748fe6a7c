"""Pipes and standard input, which can be read only once, in place of files."""

import gzip
import os
import signal
import threading
from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.io.process import Stopped
from muver.kb.index.mentions import read_mentions

TITLES = ["दिल्ली", "Παλιός", "老王", 'Anna "the smith" Ash']
CSV = "id,title\n" + "".join(
    '{},"{}"\n'.format(n, one.replace('"', '""')) for n, one in enumerate(TITLES)
)
JSON = "".join(f'{{"id": {n}, "title": "{one}"}}\n' for n, one in enumerate(TITLES[:3]))


@pytest.fixture
def piped(tmp_path):
    """A pipe that gives some bytes once; its path."""
    threads = []

    def piped(content, name="63"):
        path = tmp_path / name
        os.mkfifo(path)
        threads.append(threading.Thread(target=path.write_bytes, args=[content]))
        threads[-1].start()
        return path

    yield piped
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (CSV.encode(), TITLES),
        (CSV.replace(",", ";").encode("utf-8-sig"), TITLES),
        (gzip.compress(JSON.encode(), mtime=0), TITLES[:3]),
        (b"format-version: 1.2\n[Term]\nid: a\nname: smith\n", ["smith"]),
    ],
)
def test_a_pipe_is_read_as_a_file(content, found, piped, imported, tmp_path):
    path = piped(content)
    rows, _ = imported(path)
    assert [row["title"] for row in rows] == found
    assert sorted(one.name for one in tmp_path.iterdir()) == ["63", "kb"]


def test_a_named_pipe_says_its_format_and_world(piped, imported):
    assert imported(piped(CSV.encode(), "sea.csv"))[0][0]["world"] == "sea"


def test_standard_input(written, imported, typed):
    typed(JSON.encode())
    rows, _ = imported(Path("-"), written("t.csv", "id,title\n1,A\n"))
    assert [(row["world"], row["title"]) for row in rows[2:]] == [("world", "老王"), ("t", "A")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"id": 1, "title": "\xe8\x80', "standard input, line 1: not utf-8"),
        (b'{"id": 1}\n{"id": 2', "standard input, line 2: not valid JSON"),
        (b"id,title\n1,A\n2,\xff\n", "standard input, line 3: not utf-8"),
        (b"text", "standard input: its ending tells no format. Name it with --format"),
        (b"", "standard input: its ending tells no format"),
    ],
)
def test_mistakes_name_standard_input(content, said, imported, typed, tmp_path):
    typed(content)
    with pytest.raises(InputError, match=said):
        imported(Path("-"))
    assert not list(tmp_path.iterdir())


def test_mentions_through_a_pipe(piped):
    lines = b"".join(f'{{"mention": "{one}"}}\n'.encode() for one in TITLES[:3])
    for number, content in enumerate((lines, gzip.compress(lines))):
        read = read_mentions(piped(content, str(number)))
        assert [one.mention.text for one in read] == TITLES[:3]


def test_a_signal_that_interrupts_no_read_ends_it_all_the_same(typed):
    """As one that comes right before the read: here another thread gets it."""
    ended, late = threading.Event(), []
    with typed(b'{"mention": "Gate"}\n', ends=False) as pipe:

        def send():
            signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
            if not ended.wait(30):
                late.append("the read waited for the next data")
                pipe.close()

        def stop(number, _):
            raise Stopped(number)

        before = signal.signal(signal.SIGUSR1, stop)
        thread = threading.Timer(0.2, send)
        thread.start()
        try:
            with pytest.raises(Stopped):
                list(read_mentions("-", "json-lines"))
        finally:
            ended.set()
            thread.join()
            signal.signal(signal.SIGUSR1, before)
    assert not late
