"""What a loop says of itself, to somebody who watches and to a log file."""

import io

import pytest

from muver.io import progress
from muver.io.progress import Progress, note, start_logging


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand."""

    class Clock:
        now = 100.0

    monkeypatch.setattr(progress.time, "monotonic", lambda: Clock.now)
    return Clock


def told(clock, monkeypatch, tmp_path, steps=100, seconds=6.0):
    """Lines on standard error and in the log file of a loop of equal steps."""
    stream = io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", stream)
    start_logging("encode", tmp_path / "log")
    loop = Progress("views", steps, "views")
    for _ in range(steps):
        clock.now += seconds
        loop.advance()
    loop.finish()
    return stream.getvalue().splitlines(), (tmp_path / "log").read_text().splitlines()


def test_a_line_at_once_and_for_each_twentieth(clock, monkeypatch, tmp_path):
    seen, kept = told(clock, monkeypatch, tmp_path)
    assert len(seen) == len(kept) == 21
    assert seen[0] == "[encode] views: 1 of 100 views (1%), 0.167 views/s, 9 min 54 s left"
    assert "views: 6 of 100" in seen[1]
    assert kept[-1].endswith("views: 100 views in 10 min 0 s")


def test_a_line_every_minute_of_a_slow_loop(clock, monkeypatch, tmp_path):
    _, kept = told(clock, monkeypatch, tmp_path, steps=1000, seconds=30.0)
    assert len(kept) == 501


def test_what_is_noted_is_in_the_file_alone(monkeypatch, tmp_path):
    stream = io.StringIO()
    monkeypatch.setattr(progress.sys, "stderr", stream)
    start_logging("encode", tmp_path / "log")
    note("error: no such file")
    assert stream.getvalue() == ""
    assert (tmp_path / "log").read_text().endswith(" error: no such file\n")


def test_what_is_over_within_a_second_is_not_worth_a_line(clock, monkeypatch, tmp_path):
    seen, kept = told(clock, monkeypatch, tmp_path, steps=4, seconds=0.2)
    assert seen == kept == []
