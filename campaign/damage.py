"""Wrong bytes in a file that a job reads: told, or the same result all the same.

A bit is flipped, the end cut off, two blocks are swapped, one is zeroed, the file is emptied, or
another one of its form lies in its place. Then a stage that reads it runs, an index is opened and
asked, or a training goes on; what none reads, `muver verify` does. A case holds if that ends with a
message (status 2, nothing written), or with the bytes or answers of undamaged files.
"""

import contextlib
import io
import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from campaign import indexes
from campaign.child import TOLD, Ended, bounded
from campaign.mutations import DAMAGE
from campaign.plan import Case, Plan
from campaign.project import UNTRACKED, commands, made
from muver import cli
from muver.io.checksums import check, seal
from muver.io.typed import read
from muver.kb.index.index import Index
from muver.retriever.retrieval.ann.index import AnnIndex, Build, build
from muver.retriever.training.checkpoint import Checkpoints
from muver.retriever.vectors.shards import Shards
from tests import tiny
from tests.retriever.vectors.made import write_shards

State = dict[Path, bytes]
Job = tuple[Callable[[], int], Path, list[Path]]  # the folder that it works in; what it reads
LOGGED = (".sha256", ".log", ".tsv")  # each run adds to them


def attack(plan: Plan) -> Iterator[Case]:
    """Files of the tiny project, of indexes (words alone, with a model), and of two of faiss."""
    jobs = _openings(plan.folder), _approximate(plan.folder), _jobs(plan.folder / "project")
    yield from _drawn(plan, chain(*jobs))


def indexes_only(plan: Plan) -> Iterator[Case]:
    """Files of the indexes."""
    yield from _drawn(plan, chain(_openings(plan.folder), _approximate(plan.folder)))


def _drawn(plan: Plan, jobs: Iterable[Job]) -> Iterator[Case]:
    files: dict[str, list[tuple[Path, Path, Callable[[], int]]]] = defaultdict(list)
    for work, folder, paths in jobs:
        for path in paths:
            files[_kind(path)].append((path, folder, work))
    states = {folder: _state(folder) for found in files.values() for _, folder, _ in found}
    for _, chance in plan.turns():
        for kind, found in files.items():
            path, folder, work = chance.choice(found)
            alike = [other for other, _, _ in found if other != path]
            work = partial(_silent, folder, path) if plan.fault else work
            how, wrong = _damaged(path, folder, work, alike, states[folder], chance)
            yield Case(kind, f"{path.relative_to(folder)}, {how}", wrong)


def _kind(path: Path) -> str:
    """What a file is, without its key."""
    top = "build" if "build" in path.parts else "results" if "results" in path.parts else "index"
    parts = path.parts[path.parts.index(top) :]
    if top == "index":
        return f"index {parts[1]}" if len(parts) < 4 else f"index {parts[1]} {path.suffix}"
    return f"{parts[2] if top == 'build' else top} {path.suffix}"


def _damaged(
    path: Path, folder: Path, work: Callable[[], int], alike: list[Path], before: State,
    chance: random.Random,
) -> tuple[str, str]:  # fmt: skip
    """Damage a file and do some work with it: how, and what went wrong."""
    old = alike and chance.choice(alike).read_bytes() or b""
    data = damaged = path.read_bytes()
    while damaged == data:  # as two blocks that were swapped may be the same
        how = chance.choice(DAMAGE)
        damaged = how(data, chance, old) if data else b"\0"
    path.unlink()  # two names may be one file
    path.write_bytes(damaged)
    ended = bounded(work)
    after = _state(folder)
    wrong = ended.crash or _judged(ended, before, after, path)
    for one in after.keys() - before.keys():
        one.unlink()
    for one, content in before.items():
        if after.get(one) != content:
            one.write_bytes(content)
    return how.__name__, wrong


def _silent(folder: Path, path: Path) -> int:
    """The fault: a job that takes any bytes and gives other numbers."""
    other = next(one for one in _state(folder) if one != path and one.suffix not in LOGGED)
    other.write_bytes(other.read_bytes() + b"1")
    return 0


def _state(folder: Path) -> State:
    """The bytes of what jobs read and write."""
    tops = [folder / name for name in ("build", "results", "metrics", "logs", "index", "answers")]
    files = [one for top in tops for one in (top, *top.rglob("*"))]
    return {one: one.read_bytes() for one in files if one.is_file() and not one.is_symlink()}


def _judged(ended: Ended, before: State, after: State, path: Path) -> str:
    """What is wrong after a job that ended by itself."""
    aside = path.with_name(f"{path.name}.damaged")
    known = {path, aside}
    other = [
        one.name
        for one in before.keys() | after.keys()
        if one not in known and one.suffix not in LOGGED and before.get(one) != after.get(one)
    ]
    if not other:
        return ""
    if path.name in ended.said:  # the report goes on, and says on its page what it leaves out
        return ""
    if ended.code == TOLD:
        return f"told, but it changed {', '.join(other[:4])}"
    return f"not told, and {', '.join(sorted(other)[:4])} are others"


def _called(folder: Path, words: list[str]) -> int:
    """Call muver in a folder; a training keeps its checkpoints, to be read by the next one."""
    with contextlib.chdir(folder), mock.patch.object(Checkpoints, "clear"):
        return cli.main(words)


def _jobs(folder: Path) -> Iterator[Job]:
    """The project's jobs, each with the files that it reads and does not write."""
    project = made(folder)
    project.snakemake(*UNTRACKED)
    further = [["muver", "show", "table1"], *commands(project, "record", *UNTRACKED)[-1:]]
    calls = [*commands(project, *UNTRACKED), *further]
    torch.set_num_threads(1)  # a copy of a process waits for threads that it does not have
    for words in calls:  # the second time nothing changes, and what is imported here stays
        with contextlib.redirect_stdout(io.StringIO()):
            assert _called(folder, words[1:]) == 0, words
    seen: set[Path] = set()
    for words in [*calls, *(["muver", "verify", "--folder", top] for top in ("build", "results"))]:
        work = partial(_called, folder, words[1:])
        read = {one for one in _read(folder, work) if one.suffix not in LOGGED}
        yield work, folder, sorted(read - seen if "verify" in words else read)
        seen |= read


def _read(folder: Path, work: Callable[[], int]) -> Iterator[Path]:
    """The files that some work reads and leaves as they are, by the times that they have then."""
    written = {one: one.stat().st_mtime_ns for one in _state(folder)}
    for one, time in written.items():
        os.utime(one, ns=(0, time))
    ended = bounded(work)
    assert ended.code == 0, ended
    for one, time in written.items():
        there = one.stat()
        if there.st_atime_ns and there.st_mtime_ns == time:
            yield one


def _openings(folder: Path) -> Iterator[Job]:
    """Two indexes, opened and asked."""
    words = indexes.made(folder / "words", 60).folder
    encoder = tiny.make_encoder(folder / "encoder")
    tiny.make_model(encoder).save_pretrained(folder / "towers")
    model = folder / "model"
    Index.create(model / "index", indexes.entities(30), folder / "towers").add(
        indexes.entities(5, 30)
    )
    for one in (words, model):
        work = partial(_asked, one)
        assert bounded(work).code == 0
        yield work, one, [path for path in (one / "index").rglob("*") if path.is_file()]


def _approximate(folder: Path) -> Iterator[Job]:
    """Two types of faiss's indexes, opened and searched as a stage does it."""
    vectors = np.random.default_rng(0).standard_normal((400, 8), dtype=np.float32)
    shards = write_shards(folder / "shards", vectors, [1] * 400, [400])
    for factory in ("ivf_sq", "hnsw"):
        outer = folder / factory
        place = Path("build/tiny/faiss", f"{factory}-0123abcd")
        work = partial(_searched, outer, place, shards, vectors[:9])
        with contextlib.chdir(outer.mkdir() or outer):
            build(shards, place, read(Build, {"factory": factory, "seed": 0, "threads": 1}))
            seal(place.iterdir())
        assert bounded(work).code == 0
        yield work, outer, sorted((outer / place).iterdir())


def _searched(outer: Path, place: Path, shards: Path, mentions: np.ndarray) -> int:
    with contextlib.chdir(outer):
        check([place])
        index = AnnIndex(place, Shards(shards), threads=1)
        index.turn(4)
        found = [array.tolist() for array in index.search(mentions, 5)]
        Path("answers").write_text(str(found))
    return 0


def _asked(folder: Path) -> int:
    answers = indexes.answers(Index.open(folder / "index"))
    (folder / "answers").write_text(str(answers))
    return 0
