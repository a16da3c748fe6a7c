"""An encyclopedia of any size in KILT's shape, written world by world."""

import json
import multiprocessing
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from muver.corpus.kilt.titles import title_hash
from muver.corpus.miniwikia.entities import SMALLEST_WORLD
from muver.corpus.miniwikia.kilt import (
    Output,
    Plan,
    gold_of,
    made_pages,
    make_world,
    page_id,
    page_line,
)
from muver.corpus.miniwikia.settings import whole
from muver.corpus.miniwikia.writer import quota
from muver.io.errors import InputError
from muver.io.files import atomic_path, write_json
from muver.io.progress import Progress

DUMP = "kilt_knowledgesource.json"
_KEYS = ("seed", "entities", "entities_per_world", "mentions")
AHEAD = 2  # worlds a process may be ahead of the writing; bounds the memory


class Settings(NamedTuple):
    """Settings of the encyclopedia: pages in all, roughly so many a world, mentions by set."""

    seed: int
    entities: int
    entities_per_world: int
    mentions: dict[str, int]


def check(settings: Mapping[str, Any]) -> Settings:
    """The settings as given, or an InputError that names the wrong key."""
    for key in settings:
        if key not in _KEYS:
            raise InputError(f"miniwikia: unknown key '{key}'. Allowed are {', '.join(_KEYS)}.")
    for key, least in (("seed", 0), ("entities", SMALLEST_WORLD), ("entities_per_world", 12)):
        if key not in settings:
            raise InputError(f"miniwikia: the key '{key}' is missing. Give {', '.join(_KEYS)}.")
        whole(settings[key], key, least)
    mentions = settings.get("mentions")
    if not isinstance(mentions, Mapping):
        raise InputError("miniwikia: 'mentions' must be an object: for each set its number.")
    for name, count in mentions.items():
        if not re.fullmatch("[a-z0-9_-]+", name):
            raise InputError(
                f"miniwikia: 'mentions': a set can't be called {name!r}. Use small letters, "
                "digits, '_' and '-' only."
            )
        whole(count, f"mentions.{name}", 1)
    return Settings(
        settings["seed"], settings["entities"], settings["entities_per_world"], dict(mentions)
    )


def write_kilt(settings: Settings, folder: Path, workers: int = 1) -> dict[str, Any]:
    """Write ``kilt_knowledgesource.json``, ``<set>.jsonl`` for each set, and ``counts.json``.

    In memory are a few worlds and a 64-bit hash of each title; the bytes are the same with any
    number of processes.

    Returns
    -------
    The counts: entities, and for each set its mentions by how their gold can be found.

    Raises
    ------
    InputError
        If the pages have too few links for the mentions.
    """
    titles = _Titles()
    counts: dict[str, dict[str, int]] = {
        name: {"id": 0, "title": 0, "none": 0} for name in settings.mentions
    }
    progress = Progress("generate", settings.entities, "entities")
    with ExitStack() as stack:
        dump = _open(stack, folder / DUMP)
        files = {name: _open(stack, folder / f"{name}.jsonl") for name in settings.mentions}
        for output in _in_order(_plans(settings), workers):
            world = output.plan
            known = titles.told_apart(output.titles, world.name)
            for number, text in enumerate(output.paragraphs, start=world.first):
                if text is not None:
                    dump.write(page_line(number, known[number - world.first], text))
            for name, mentions in output.mentions.items():
                for mention in mentions:
                    identity = page_id(world.first + mention.target)
                    gold = gold_of(name, mention, identity, known[mention.target])
                    line = json.dumps({**mention.record, **gold}, ensure_ascii=False)
                    files[name].write(line.encode("utf-8") + b"\n")
                    counts[name][mention.kind] += 1
            progress.advance(world.size)
    result = {"entities": settings.entities, "mentions": counts}
    write_json(folder / "counts.json", result)
    progress.finish()
    return result


class _Titles:
    """Titles so far, as sorted hashes: 8 bytes each."""

    def __init__(self) -> None:
        self._seen = np.empty(0, np.uint64)

    def told_apart(self, titles: list[str], world: str) -> list[str]:
        """The titles of a world; those that another had get its name added."""
        hashes = np.array([title_hash(title) for title in titles], np.uint64)
        at = np.searchsorted(self._seen, hashes)
        known = np.zeros(len(titles), bool)
        inside = at < len(self._seen)
        known[inside] = self._seen[at[inside]] == hashes[inside]
        fresh = np.sort(hashes[~known])
        self._seen = np.insert(self._seen, np.searchsorted(self._seen, fresh), fresh)
        return [
            f"{title} of {world}" if again else title
            for title, again in zip(titles, known, strict=True)
        ]


def _plans(settings: Settings) -> Iterator[Plan]:
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
    """The worlds in their order, made by so many processes."""
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
