"""The queue of requests, and the one thread that does those of a kind together."""

import threading
import time
from collections import deque
from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol


class Work(Hashable, Protocol):
    """What a job does. Jobs of equal works are done in one call."""

    def __call__(self, given: Sequence[Any]) -> Sequence[Any]:
        """Do some jobs and return their results in order."""


class Busy(Exception):
    """Too much waits already; ``seconds`` is about how long it takes to be done."""

    def __init__(self, seconds: float):
        super().__init__(f"busy for about {seconds:.1f} s")
        self.seconds = seconds


@dataclass(frozen=True)
class _Job:
    work: Work
    given: Any
    tokens: int
    done: Future[Any] = field(default_factory=Future)


class Waiting:
    """A bounded queue, in order of arrival, and the thread that empties it.

    Parameters
    ----------
    most
        Tokens that may wait; a job that comes when nothing waits is always taken.
    batch
        Tokens that are done together; a longer job is done alone.
    """

    def __init__(self, most: int, batch: int):
        self._most, self._batch = most, batch
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._open = True
        self._pace = 0.0  # seconds a token, of late
        self._thread = threading.Thread(target=self._work, name="worker", daemon=True)
        self._thread.start()

    @property
    def tokens(self) -> int:
        """How many tokens wait."""
        with self._changed:
            return self._tokens()

    @property
    def alive(self) -> bool:
        """Whether jobs are taken and done."""
        return self._open and self._thread.is_alive()

    def put(self, work: Work, given: Any, tokens: int) -> Future[Any]:
        """Let a job wait for its turn; a future that is cancelled before gives up its place.

        Raises
        ------
        Busy
            If too much waits, or the service is about to end.
        """
        job = _Job(work, given, tokens)
        with self._changed:
            waiting = self._tokens()
            if not self._open or (waiting and waiting + tokens > self._most):
                raise Busy(waiting * self._pace)
            self._jobs.append(job)
            self._changed.notify()
        return job.done

    def close(self) -> None:
        """Do the jobs that wait, then end."""
        with self._changed:
            self._open = False
            self._changed.notify()
        self._thread.join()

    def _tokens(self) -> int:
        return sum(job.tokens for job in self._jobs if not job.done.cancelled())

    def _work(self) -> None:
        while jobs := self._take():
            jobs = [job for job in jobs if job.done.set_running_or_notify_cancel()]
            began = time.monotonic()
            _do(jobs)
            if jobs:
                pace = (time.monotonic() - began) / sum(job.tokens for job in jobs)
                self._pace += (pace - self._pace) / 4

    def _take(self) -> list[_Job]:
        """The job that waits longest, and those that can be done with it; none at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or not self._open)
            taken: list[_Job] = []
            left: deque[_Job] = deque()
            tokens = 0
            for job in self._jobs:
                fits = not taken or tokens + job.tokens <= self._batch
                if fits and (not taken or job.work == taken[0].work):
                    taken.append(job)
                    tokens += job.tokens
                else:
                    left.append(job)
            self._jobs = left
            return taken


def _do(jobs: Sequence[_Job]) -> None:
    """Do jobs together; where that fails, each alone, so that none has another's error."""
    if not jobs:
        return
    try:
        results = jobs[0].work([job.given for job in jobs])
    except Exception as error:
        if len(jobs) == 1:
            jobs[0].done.set_exception(error)
        else:
            for job in jobs:
                _do([job])
    else:
        for job, result in zip(jobs, results, strict=True):
            job.done.set_result(result)
