"""Large files read a line at a time, by several processes where asked."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from muver.io.errors import InputError
from muver.kb.importing.items import LeftOut, Notes
from muver.kb.importing.opening import lines_of, opened, opened_text
from muver.retriever.corpus.jsonl import BadLine, line_parser
from muver.retriever.corpus.settings import BadLines

BATCH = 1 << 20  # bytes, at least
AHEAD = 2  # pieces that wait for each process
BAD = "lines of another form"
T = TypeVar("T")
R = TypeVar("R")


class Place(NamedTuple):
    """Number of a line, from 1, and its first byte."""

    line: int
    byte: int

    def __str__(self) -> str:
        return f"line {self.line}"


def read_json_lines(
    path: Path, kind: type[T], encoding: str | None = None
) -> Iterator[tuple[str, T]]:
    """Each line's place and what it holds; one of another form is refused."""
    parse = line_parser(kind)
    with opened_text(path, encoding) as text:
        for number, line in enumerate(lines_of(text, path), start=1):
            try:
                yield f"line {number}", parse(line)
            except BadLine as error:
                raise InputError(f"{path}, line {number}: {error}.") from None


def parsed_lines(
    path: Path, parse: Callable[[bytes], T], workers: int = 1
) -> Iterator[tuple[Place, T | LeftOut]]:
    """Each line's place, and what ``parse`` makes of it, which may raise BadLine."""
    for batch in in_order(partial(_parsed, parse), _batches(path), workers):
        yield from batch


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


def good_lines(
    path: Path, parse: Callable[[bytes], T], settings: BadLines, bad: Notes, workers: int = 1
) -> Iterator[tuple[Place, T]]:
    """The lines that parse; the others are noted, and refused above what the settings allow."""
    for number, (place, one) in enumerate(parsed_lines(path, parse, workers), start=1):
        if not isinstance(one, LeftOut):
            yield place, one
            continue
        bad.add(one.why, one.place)
        count = bad.counts.total()
        if count > max(settings.bad_lines, int(settings.bad_share * number)):
            raise InputError(
                f"{path}: {BAD}: {count} of the first {number}: "
                f"{'; '.join(bad.examples[BAD][:5])}. Fetch the file anew, or allow more with "
                '--settings \'{"bad_lines": ..., "bad_share": ...}\'.'
            )


def _batches(path: Path) -> Iterator[list[tuple[Place, bytes]]]:
    batch: list[tuple[Place, bytes]] = []
    first = byte = 0
    with opened(path) as stream:
        for number, line in enumerate(lines_of(stream, path), start=1):
            batch.append((Place(number, byte), line))
            byte += len(line)
            if byte - first >= BATCH:
                yield batch
                batch, first = [], byte
    yield batch


def _parsed(
    parse: Callable[[bytes], T], batch: list[tuple[Place, bytes]]
) -> list[tuple[Place, T | LeftOut]]:
    found: list[tuple[Place, T | LeftOut]] = []
    for place, line in batch:
        try:
            found.append((place, parse(line)))
        except BadLine as error:
            found.append((place, LeftOut(BAD, f"{place}: {error}")))
    return found
