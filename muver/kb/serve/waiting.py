"""An index's queue of requests, what its one thread does of them, and which are done together.

Work is counted in tokens, as in :mod:`muver.kb.index.costs`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from starlette.exceptions import HTTPException

from muver.kb.index.answer import Answer
from muver.retriever.answers import Mention

# What jobs do, with their results in order. Jobs of equal works are done in one call.
Work = Callable[[Sequence[Any]], Sequence[Any]]


class Busy(HTTPException):
    """Too much waits already."""

    def __init__(self) -> None:
        why = "too many requests wait. Come again in a second."
        super().__init__(429, why, {"Retry-After": "1"})


@dataclass(frozen=True, eq=False)
class _Job:
    work: Work
    piece: Any
    tokens: int
    done: asyncio.Future[Any]


class Waiting:
    """A bounded queue in order of arrival, all of it in the event loop but for the work itself.

    ``most`` tokens may wait, but a request that comes when nothing waits is always taken. ``batch``
    of them are done together; a longer piece is done alone. A request in several pieces goes to the
    end of the queue after each, so that nobody waits for all of it.
    """

    def __init__(self, most: int, batch: int):
        self._most, self._batch = most, batch
        self._jobs: list[_Job] = []
        self._later = 0  # tokens of requests in hand whose turn has not come
        self._worker = ThreadPoolExecutor(1, "worker")  # a model keeps threads for each caller's
        self._emptying: asyncio.Task[None] | None = None

    @property
    def tokens(self) -> int:
        return self._later + sum(job.tokens for job in self._jobs)

    async def do(self, work: Work, pieces: Sequence[tuple[Any, int]]) -> list[Any]:
        """The results of a request's pieces, each with its tokens, after their turns; who is
        cancelled before gives up the place.
        """
        left = sum(tokens for _, tokens in pieces)
        if self.tokens and self.tokens + left > self._most:
            raise Busy()
        results = []
        self._later += left
        try:
            for piece, tokens in pieces:
                self._later, left = self._later - tokens, left - tokens
                results.append(await self._one(work, piece, tokens))
        finally:
            self._later -= left
        return results

    async def _one(self, work: Work, piece: Any, tokens: int) -> Any:
        loop = asyncio.get_running_loop()
        job = _Job(work, piece, tokens, loop.create_future())
        self._jobs.append(job)
        if self._emptying is None or self._emptying.done():
            self._emptying = loop.create_task(self._empty())
        try:
            return await job.done
        finally:
            if job in self._jobs:
                self._jobs.remove(job)

    def close(self) -> None:
        """Begin nothing more; what is being done is not waited for."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _empty(self) -> None:
        while jobs := self._take():
            loop = asyncio.get_running_loop()
            results = await loop.run_in_executor(self._worker, _results, jobs)
            for job, result in zip(jobs, results, strict=True):
                if job.done.done():
                    continue  # the client has gone
                if isinstance(result, Exception):
                    job.done.set_exception(result)
                else:
                    job.done.set_result(result)

    def _take(self) -> list[_Job]:
        """The job that waits longest, and those that can be done with it."""
        taken: list[_Job] = []
        tokens = 0
        for job in self._jobs:
            fits = not taken or tokens + job.tokens <= self._batch
            if fits and (not taken or job.work == taken[0].work):
                taken.append(job)
                tokens += job.tokens
        self._jobs = [job for job in self._jobs if job not in taken]
        return taken


def _results(jobs: Sequence[_Job]) -> list[Any]:
    """Of jobs done together; where that fails of each alone, so that none has another's error.

    A job whose client has gone meanwhile is not done again.
    """
    try:
        return list(jobs[0].work([job.piece for job in jobs]))
    except Exception as error:
        if len(jobs) == 1:
            return [error]
        return [None if job.done.done() else _results([job])[0] for job in jobs]


@dataclass(frozen=True)
class Ranking:
    """Ranks the mentions of some requests in one call, and gives each request its answers, with the
    index's generation when they were begun.
    """

    index: Any
    k: int
    excerpts: bool
    where: Mapping[str, str]
    weights: Mapping[str, float] | None

    @cached_property
    def _narrowed(self) -> Any:
        return self.index.where(**self.where) if self.where else self.index

    def __call__(self, requests: Sequence[Sequence[Mention]]) -> list[tuple[int, list[Answer]]]:
        index = self._narrowed
        generation = index.generation
        mentions = [mention for mentions in requests for mention in mentions]
        ranked = index.retrieve(mentions, self.k, self.excerpts, self.weights)
        pairs = zip(mentions, ranked, strict=True)
        found = [Answer.of(*pair, index.threshold) for pair in pairs]
        ends = accumulate(map(len, requests), initial=0)
        return [(generation, found[start:end]) for start, end in pairwise(ends)]
