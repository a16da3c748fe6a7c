import asyncio
import threading
from dataclasses import dataclass, field

import pytest

from muver.kb.serve.waiting import Busy, Waiting

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


class Held:
    """A queue whose worker is held by a first job, until the gate opens."""

    def __init__(self, work):
        self.work, self.waiting = work, Waiting(most=100, batch=10)

    async def __aenter__(self):
        await self.put(0, 1)
        while self.waiting.tokens:
            await asyncio.sleep(0)
        return self

    async def __aexit__(self, *_):
        self.work.gate.set()
        self.waiting.close()

    async def put(self, given, tokens, work=None):
        """A job that waits."""
        return await self.request((given, tokens), work=work)

    async def request(self, *pieces, work=None):
        job = asyncio.create_task(self.waiting.do(work or self.work, pieces))
        await asyncio.sleep(0)
        return job

    async def done(self, *jobs):
        self.work.gate.set()
        found = await asyncio.gather(*jobs, return_exceptions=True)
        return [one[0] if isinstance(one, list) and len(one) == 1 else one for one in found]


def holding(test):
    """Runs a test with a queue that is held."""

    def run(work):
        async def inside():
            async with Held(work) as held:
                await test(held, work)

        asyncio.run(inside())

    return run


@holding
async def test_jobs_of_a_kind_that_wait_are_done_together(held, work):
    kinds = (work, Doubling("other", work.calls, work.gate), work)
    jobs = [await held.put(n, 1, kind) for n, kind in enumerate(kinds, start=1)]
    assert await held.done(*jobs) == [2, 4, 6]
    assert work.calls == [[0], [1, 3], [2]]


@holding
async def test_a_batch_has_so_many_tokens_and_a_longer_job_is_alone(held, work):
    jobs = [await held.put(n, tokens) for n, tokens in enumerate((6, 4, 1, 50), start=1)]
    assert await held.done(*jobs) == [2, 4, 6, 8]
    assert work.calls == [[0], [1, 2], [3], [4]]


@holding
async def test_none_has_the_error_of_another(held, work):
    first, error, last = await held.done(*[await held.put(n, 1) for n in (1, 13, 2)])
    assert (first, str(error), last) == (2, "13", 4)
    assert work.calls == [[0], [1, 13, 2], [1], [13], [2]]


@holding
async def test_who_goes_away_gives_up_the_place(held, work):
    first, second = [await held.put(n, 40) for n in (1, 2)]
    with pytest.raises(Busy):
        await held.waiting.do(work, [(3, 40)])
    first.cancel()
    await asyncio.sleep(0)
    assert held.waiting.tokens == 40
    third = await held.put(3, 40)
    assert await held.done(second, third) == [4, 6]
    assert work.calls == [[0], [2], [3]]


@holding
async def test_a_job_that_is_more_than_may_wait_is_taken_when_nothing_waits(held, work):
    first = await held.put(1, 1000)
    with pytest.raises(Busy) as busy:
        await held.waiting.do(work, [(2, 1)])
    assert busy.value.headers == {"Retry-After": "1"}
    assert await held.done(first) == [2]


@holding
async def test_who_goes_away_during_the_work_stops_nobody_else(held, work):
    jobs = [await held.put(n, 1) for n in (1, 2)]
    work.gate.set()
    while not work.calls:
        await asyncio.sleep(0)
    jobs[0].cancel()
    assert (await held.done(*jobs))[1] == 4


@holding
async def test_a_long_request_takes_turns_with_others(held, work):
    long = await held.request((1, 10), (2, 10), (3, 10))
    short = await held.put(4, 10)
    assert held.waiting.tokens == 40
    assert await held.done(long, short) == [[2, 4, 6], 8]
    assert work.calls == [[0], [1], [4], [2], [3]] and held.waiting.tokens == 0


@holding
async def test_a_request_waits_as_a_whole_or_not_at_all(held, work):
    long = await held.request(*[(n, 40) for n in (1, 2)])
    with pytest.raises(Busy):
        await held.waiting.do(work, [(3, 10), (4, 20)])
    long.cancel()
    await asyncio.sleep(0)
    assert held.waiting.tokens == 0
    with pytest.raises(asyncio.CancelledError):
        await long
