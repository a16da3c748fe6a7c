"""Work in several processes, with results in order and few of them waiting."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import TypeVar

from muver.io.errors import InputError

AHEAD = 2  # pieces that wait for each process
T = TypeVar("T")
R = TypeVar("R")


def in_order(work: Callable[[T], R], pieces: Iterable[T], workers: int) -> Iterator[R]:
    """The results of ``work`` for each piece, in order; only a few pieces are read ahead."""
    if workers == 1:
        yield from map(work, pieces)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        rest = iter(pieces)
        waiting: deque[Future[R]] = deque()
        try:
            waiting.extend(pool.submit(work, piece) for piece in islice(rest, AHEAD * workers))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(work, piece) for piece in islice(rest, 1))
        except BrokenProcessPool as error:
            raise InputError(
                "A process was killed, perhaps for want of memory. Run the same command again, "
                "with fewer --workers."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
