import threading
from dataclasses import dataclass, field

import pytest

from muver.serve.waiting import Busy, Waiting

WAIT = 30


@dataclass(frozen=True)
class Doubling:
    """Doubles numbers; refuses 13. ``calls`` has what was done together."""

    name: str = "doubling"
    calls: list = field(default_factory=list, compare=False)
    gate: threading.Event = field(default_factory=threading.Event, compare=False)

    def __call__(self, given):
        self.gate.wait(WAIT)
        self.calls.append(list(given))
        if 13 in given:
            raise ValueError("13")
        return [2 * one for one in given]


@pytest.fixture
def work():
    return Doubling()


@pytest.fixture
def waiting(work):
    """A queue whose worker is held by a first job, until the gate opens."""
    waiting = Waiting(most=100, batch=10)
    waiting.put(work, 0, 1)
    while waiting.tokens:
        pass
    yield waiting
    work.gate.set()
    waiting.close()


def done(*futures):
    return [future.result(WAIT) for future in futures]


def test_jobs_of_a_kind_that_wait_are_done_together(waiting, work):
    other = Doubling("other", work.calls, work.gate)
    kinds = (work, other, work)
    futures = [waiting.put(kind, n, 1) for n, kind in enumerate(kinds, start=1)]
    work.gate.set()
    assert done(*futures) == [2, 4, 6]
    assert work.calls == [[0], [1, 3], [2]]


def test_a_batch_has_so_many_tokens_and_a_longer_job_is_alone(waiting, work):
    futures = [waiting.put(work, n, tokens) for n, tokens in enumerate((6, 4, 1, 50), start=1)]
    work.gate.set()
    assert done(*futures) == [2, 4, 6, 8]
    assert work.calls == [[0], [1, 2], [3], [4]]


def test_none_has_the_error_of_another(waiting, work):
    good, bad, last = (waiting.put(work, n, 1) for n in (1, 13, 2))
    work.gate.set()
    assert done(good, last) == [2, 4]
    with pytest.raises(ValueError, match="13"):
        bad.result(WAIT)
    assert work.calls == [[0], [1, 13, 2], [1], [13], [2]]


def test_who_goes_away_gives_up_his_place(waiting, work):
    futures = [waiting.put(work, n, 40) for n in (1, 2)]
    with pytest.raises(Busy):
        waiting.put(work, 3, 40)
    futures[0].cancel()
    assert waiting.tokens == 40
    third = waiting.put(work, 3, 40)
    work.gate.set()
    assert done(futures[1], third) == [4, 6]
    assert work.calls == [[0], [2], [3]]


def test_a_job_that_is_more_than_may_wait_is_taken_when_nothing_waits(waiting, work):
    first = waiting.put(work, 1, 1000)
    with pytest.raises(Busy):
        waiting.put(work, 2, 1)
    work.gate.set()
    assert done(first) == [2]


def test_at_the_end_what_waits_is_done_and_nothing_more_taken(work):
    waiting = Waiting(most=100, batch=10)
    futures = [waiting.put(work, n, 1) for n in (1, 2)]
    threading.Timer(0.01, work.gate.set).start()
    waiting.close()
    assert done(*futures) == [2, 4]
    assert not waiting.alive
    with pytest.raises(Busy):
        waiting.put(work, 3, 1)
