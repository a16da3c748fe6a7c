"""Write an encyclopedia of any size in KILT's format, world by world."""

import json
import multiprocessing
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np

from miniwikia.kilt import (
    Output,
    Plan,
    gold_of,
    made_pages,
    make_world,
    page_id,
    page_line,
)
from miniwikia.settings import GenerateKilt
from miniwikia.writer import quota
from muver.io.files import atomic_path, write_json
from muver.retriever.corpus.knowledge_base import title_hash

DUMP = "kilt_knowledgesource.json"
AHEAD = 2  # worlds a process may be ahead of the writing; bounds the memory


def generate_kilt(settings: GenerateKilt, folder: str | Path, workers: int = 1) -> dict[str, Any]:
    """Write an encyclopedia in KILT's format and benchmarks in BLINK's (docs/data.md).

    ``folder`` gets ``kilt_knowledgesource.json``, ``<set>.jsonl`` and ``counts.json``; equal
    settings give equal bytes everywhere, with any number of worker processes. Memory holds a few
    worlds and a 64-bit hash of each title.

    Returns
    -------
    The counts: entities, and for each set its mentions by how their gold can be found.
    """
    folder, titles = Path(folder), _Titles()
    counts = {name: {"id": 0, "title": 0, "none": 0} for name in settings.mentions}
    with ExitStack() as stack:
        dump = _open(stack, folder / DUMP)
        files = {name: _open(stack, folder / f"{name}.jsonl") for name in settings.mentions}
        for output in _in_order(_plans(settings), workers):
            world = output.plan
            distinct = titles.make_distinct(output.titles, world.name)
            for number, text in enumerate(output.paragraphs):
                if text is not None:
                    dump.write(page_line(world.first + number, distinct[number], text))
            for name, mentions in output.mentions.items():
                for mention in mentions:
                    identity = page_id(world.first + mention.target)
                    gold = gold_of(name, mention, identity, distinct[mention.target])
                    line = json.dumps({**mention.record, **gold}, ensure_ascii=False)
                    files[name].write(line.encode("utf-8") + b"\n")
                    counts[name][mention.kind] += 1
    result = {"entities": settings.entities, "mentions": counts}
    write_json(folder / "counts.json", result)
    return result


class _Titles:
    """The titles of all worlds so far, as sorted hashes of 8 bytes each."""

    def __init__(self) -> None:
        self._seen = np.empty(0, np.uint64)

    def make_distinct(self, titles: list[str], world: str) -> list[str]:
        """Append the world's name to each title that an earlier world has."""
        hashes = np.array([title_hash(title) for title in titles], np.uint64)
        again = np.isin(hashes, self._seen)
        self._seen = np.union1d(self._seen, hashes)
        return [
            f"{title} of {world}" if seen else title
            for title, seen in zip(titles, again, strict=True)
        ]


def _plans(settings: GenerateKilt) -> Iterator[Plan]:
    worlds = max(1, settings.entities // settings.entities_per_world)
    first = 0
    for position in range(worlds):
        size = quota(settings.entities, worlds, position)
        mentions = {
            name: quota(count, worlds, position) for name, count in settings.mentions.items()
        }
        yield Plan(settings.seed, f"wiki{position:05d}", first, size, mentions)
        first += made_pages(size)


def _in_order(plans: Iterable[Plan], workers: int) -> Iterator[Output]:
    """The worlds in their order, made by several processes."""
    if workers <= 1:
        yield from map(make_world, plans)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        waiting: deque[Future[Output]] = deque()
        try:
            for plan in plans:
                waiting.append(pool.submit(make_world, plan))
                if len(waiting) > AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)


def _open(stack: ExitStack, path: Path) -> IO[bytes]:
    temporary = stack.enter_context(atomic_path(path))
    return stack.enter_context(open(temporary, "wb"))
