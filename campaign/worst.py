"""The worst requests that a service admits: none takes more than two seconds of a core.

Each route is asked for as much as `Limits` allow, in the ways that cost most: many mentions of full
length, worlds, candidates, signals, a column, the longest entity told or put. The indexes have
20,000 entities in 5,000 worlds, 5,000 of 768 dimensions by l2, and few by an encoder and a
cross-encoder of BERT-base's size (random weights); one entity has as much of everything as may be.
A case holds if what the process takes of a core, for it and while a client of another index waits,
is no more than two seconds each: other work on the machine lets clocks run on. Then eight indexes
of one model, and four of different ones, are asked at once; services are told to end; and those
whose open files are used up are asked whether they live.
"""

import contextlib
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import psutil
import torch
from starlette.types import Message, Receive, Scope, Send
from threadpoolctl import threadpool_limits

from campaign import memory
from campaign.plan import Case, Plan
from muver.kb.importing.importing_settings import LONGEST, MOST_ALIASES
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.reranked import Reranker
from muver.kb.serve import Limits
from muver.kb.serve.guard import Notes
from muver.kb.serve.models import Models, Served
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.cross import CrossEncoder
from muver.retriever.encoders.encoders_settings import Scratch
from muver.retriever.encoders.start import from_scratch
from tests import tiny
from tests.kb.serve.conftest import TOKEN, Running, running

CORE, WAIT = "seconds of a core, of any request", "seconds of a core while another client waits"
ENDS, WAITING = 4, 6  # of stop_seconds; requests in hand then
TOGETHER = {"many": 8, "different": 4}  # indexes that are served together, of one model or several
MB = 100  # by which they may grow beside their models
UNREAD = b"GET /entities/long HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
BUSY, SLOW, EARLY = "as much to do as may wait", "answers that nobody reads", "not ready yet"
CROWDS = {
    "half a request": b"GET / HTTP/1.1\r\n",
    "connections kept alive": b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    SLOW: UNREAD,
}
PATIENT = mock.patch("tests.kb.serve.conftest.WAIT", 600)  # clients
MOST = 2.0  # seconds, of one core's time and of another client's waiting
BASE = {"vocabulary": 2000, "layers": 12, "hidden": 768, "heads": 12, "intermediate": 3072}
LAYOUT = {"views": {"kind": "sentences", "max_tokens": 40, "min_pieces": 4, "title_room": 4,
                    "training_views": 3},
          "context": {"max_tokens": 128}}  # fmt: skip
Body = dict[str, Any]
Request = tuple[str, str, Body | None]


def attack(plan: Plan) -> Iterator[Case]:
    """Every route, of indexes that are words, of many dimensions, and read by a large encoder."""
    threadpool_limits(1)
    torch.set_num_threads(1)  # others would turn while they wait
    services = _services(plan.folder)
    for folder, served in itertools.islice(services, 1 if plan.fault else None):
        if folder.name not in TOGETHER:
            for one in served.values():
                one.warm()
        with running(models=Models(served)) as service, _spoilt(plan.fault), PATIENT:
            if folder.name in TOGETHER:
                yield _many(folder, service)
                continue
            if folder.name == "names":
                for how in (BUSY, SLOW, EARLY):
                    yield _ended(how, folder, service, plan.fault)
                for how in CROWDS:
                    yield _crowded(how, folder, plan.fault)
            for kind, requests in _asked(service, folder.name):
                if plan.until < time.monotonic():
                    return
                with _another_client(service) as waits:
                    what, took, wrong = _admitted(service, requests)
                measured = {CORE: took, WAIT: max(waits)}
                slow = f"too long: {measured}" * (max(measured.values()) > MOST)
                yield Case(kind, what, wrong or slow, measured)


def _texts(count: int, chance: random.Random) -> list[str]:
    """Descriptions of different words."""
    words = ["".join(pair) for pair in itertools.product(tiny.WORDS, repeat=2)]
    return [" ".join(chance.choices(words, k=20)) + "." for _ in range(count)]


def _text(chance: random.Random) -> str:
    return " ".join(_texts(60, chance))


def _marks(_: random.Random) -> str:
    return "a" + "\u0301\u0316" * 5_000


def _entities(count: int, worlds: int) -> list[Entity]:
    texts = _texts(count, random.Random(0))
    return [
        Entity(id=f"e{n}", title=" ".join(text.split()[:2]), description=text,
               world=f"w{n % worlds}", further={"kind": "a"})
        for n, text in enumerate(texts)
    ]  # fmt: skip


def _long(world: str) -> Entity:
    further = {"kind": "a", **{f"column {n}": "x" * 20 for n in range(2_000)}}
    title = "tower" + " raven" * 10_000
    return Entity(id="long", title=title, description=("The king. " * LONGEST)[:LONGEST],
                  world=world, further=further, aliases=_aliases())  # fmt: skip


def _aliases() -> list[str]:
    chance = random.Random(4)
    return [_text(chance)[:250] for _ in range(MOST_ALIASES)]


def _services(folder: Path) -> Iterator[tuple[Path, dict[str, Served]]]:
    """The indexes of three services, each with another one of words beside."""
    small = Index.create(folder / "small", _entities(100, 1), "bm25")

    def beside(name: str, index: Any) -> tuple[Path, dict[str, Served]]:
        return folder / name, {name: Served(name, index), "small": Served("small", small)}

    names = Index.create(folder / "names", [*_entities(20_000, 5_000), _long("w0")])
    yield beside("names", names)
    for name, layers, count in (("wide", 1, 5_000), ("deep", 12, 40)):
        given = [*_entities(count, 1), *([_long("w0")] if layers == 1 else [])]
        yield beside(name, Index.create(folder / name, given, _towers(folder, name, layers)))
    config = tiny.config(views={"kind": "prefix", "max_tokens": 128},
                         context={"max_tokens": 32}, score="cross", scale=20)  # fmt: skip
    cross = CrossEncoder.from_encoder(folder / "deep-encoder", config).eval()
    yield beside("reranked", names.reranked(Reranker(cross, 2)))
    for kind, count in TOGETHER.items():
        served = {}
        for n in range(count):
            one, towers = f"{kind}{n}", folder / "deep-towers"
            if kind == "different":
                towers = _towers(folder, one, 3 + n)
            Index.create(folder / one, _entities(40, 1), towers)
            served[one] = Served(one, Index.open(folder / one))
        yield folder / kind, served | {"small": Served("small", small)}


def _towers(folder: Path, name: str, layers: int) -> Path:
    """A model with random weights."""
    encoder, towers = folder / f"{name}-encoder", folder / f"{name}-towers"
    texts = _texts(200, random.Random(1))
    from_scratch(texts, Scratch(**{**BASE, "layers": layers}), 7, encoder)
    config = tiny.config(**LAYOUT, metric="l2")
    BiEncoder.from_encoder(encoder, config).eval().save_pretrained(towers)
    return towers


def _many(folder: Path, service: Running) -> Case:
    """Indexes that are all loaded and asked at once, of one model or of several."""
    sizes, served = [], service.service.models
    many = list(served)[: TOGETHER[folder.name]]
    for one in served.values():
        one.warm()
        sizes.append(psutil.Process().memory_info().rss >> 20)
    models = [served[one].index.info()["model_bytes"] >> 20 for one in many[1:]]
    own = sum(models) if folder.name == "different" else 0
    with _another_client(service) as waits, ThreadPoolExecutor(len(many)) as clients:
        asked = [_retrieve(service, one, 10, [None], model=one) for one in many]
        wrong = [wrong for *_, wrong in clients.map(partial(_admitted, service), asked)]
    more = sizes[-1] - sizes[0]
    wrong += ["too long"] * (max(waits) > MOST) + ["too large"] * (more > own + MB)
    kind = f"{len(many)} indexes, {'different models' if own else 'one model'}"
    measured = {f"{WAIT}, {kind}": max(waits), f"MB of all but the first of {kind}": more}
    if own:
        measured["MB of the files of these models"] = own
    return Case(kind, "", "; ".join(filter(None, wrong)), measured)


def _lines(held: contextlib.ExitStack, address: str, count: int, sent: bytes) -> None:
    """Connections that send something, and read nothing as long as they are held."""
    host, _, port = address.removeprefix("http://").partition(":")
    for _ in range(count):
        line = held.enter_context(socket.socket())
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        with contextlib.suppress(OSError):  # it was ended
            line.connect((host, int(port)))
            line.sendall(sent)


def _ended(how: str, index: Path, service: Running, fault: bool) -> Case:
    """A service that is told to end."""
    own = {"stop_seconds": ENDS, "waiting_tokens": 10**6, "tokens": 10**6}
    settings = "--settings", json.dumps(own)
    with contextlib.ExitStack() as held:
        if how == EARLY:
            running = memory.started(index, *settings)
        else:
            running, address = memory.served(index, *settings)
        if how == BUSY:
            *_, given = next(_retrieve(service, index.name, 10, [None]))
            clients = held.enter_context(ThreadPoolExecutor(WAITING))
            for _ in range(WAITING):
                clients.submit(memory.asked, f"{address}/retrieve", "POST", given)
        elif how == SLOW:
            _lines(held, address, 50, UNREAD)
        time.sleep(1)
        if fault:
            running.send_signal(signal.SIGSTOP)
            os.waitpid(running.pid, os.WUNTRACED)  # of two signals at once SIGTERM comes first
        began = time.monotonic()
        running.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(ENDS + 1)
        took = time.monotonic() - began
        running.kill()
    measured = {f"seconds from SIGTERM to the end, of {ENDS} allowed": took}
    return Case(f"told to end, {how}", "", "too late" * (took > ENDS + 1), measured)


def _crowded(how: str, index: Path, fault: bool) -> Case:
    """A service whose open files are used up."""
    running, address = memory.served(index, files=128)
    with contextlib.ExitStack() as held:
        _lines(held, address, 300, CROWDS[how])
        if fault:
            running.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        try:
            urllib.request.urlopen(f"{address}/health", timeout=MOST).read()
            wrong = ""
        except OSError as error:
            wrong = str(error)
        took = time.monotonic() - began
    running.kill()
    return Case(
        f"open files used up, {how}", "", wrong, {"seconds to /health without open files": took}
    )


def _retrieve(
    service: Running,
    name: str,
    k: int,
    worlds: list[str | None],
    text: Callable[[random.Random], str] = _text,
    **more: Any,
) -> Iterator[Request]:
    """Requests by all signals for as many mentions of full length as an answer may have, or one
    less each time.
    """
    limits, chance = Limits(), random.Random(2)
    weights = dict.fromkeys(service.service.models[name].index.weights, 1.0)
    for count in range(min(limits.mentions, limits.candidates // k), 0, -1):
        room = min(limits.characters, limits.body_kb * 1000 // count - 200) // 2
        asked = [
            {"mention": text(chance)[:room], "left": text(chance)[:room], "world": world}
            for world, _ in zip(itertools.cycle(worlds), range(count), strict=False)
        ]
        given = {"mentions": asked, "k": k, "excerpts": True, "weights": weights}
        yield "POST", "/retrieve", {**given, **more}


def _asked(service: Running, name: str) -> Iterator[tuple[str, Iterator[Request]]]:
    """Requests by what they are: each the first of some that is admitted."""
    chance, index = random.Random(3), service.service.models[name].index
    retrieve = partial(_retrieve, service, name)

    def one(method: str, path: str, body: Body | None = None) -> Iterator[Request]:
        return iter([(method, path, body)])

    worlds = index.worlds
    for k in (10, 350, Limits().k):
        yield f"{name}: k {k}", retrieve(k, worlds[:1])
    if name == "reranked":
        return
    yield f"{name}: in other worlds", retrieve(10, worlds)
    yield f"{name}: in all worlds", retrieve(350, [None])
    yield f"{name}: narrowed", retrieve(10, [None], where={"kind": "a"})
    yield f"{name}: marks", retrieve(10, [None], text=_marks)
    if index.has("long"):
        asked = {"mention": {"mention": _text(chance)[:9_000]}, "id": "long",
                 "weights": dict.fromkeys(index.weights, 1.0)}  # fmt: skip
        yield f"{name}: explained", one("POST", "/explain", asked)
        yield f"{name}: entity", one("GET", "/entities/long")
    for path in ("/models", "/metrics", "/ready", "/openapi.json"):
        yield f"{name}: {path[1:]}", one("GET", path)
    put = {
        "sentences": {"title": "tower", "description": "The king saw the tower of the raven. "},
        "short": {"title": "tower", "description": "A b. "},
        "letters": {"title": "tower", "description": "a. "},
        "title": {"title": "raven " * 40_000, "description": "The king. "},
        "aliases": {"title": "tower", "aliases": _aliases()},
        "marks": {"title": "a", "description": "\u0301\u0316"},
        "columns": {"title": "tower", "further": {f"column {n}": "x" * 20 for n in range(8000)}},
    }  # fmt: skip
    for kind, body in put.items():
        sizes = (int(LONGEST * 0.8**n) for n in range(50))
        yield (
            f"{name}: put, {kind}",
            (("PUT", "/entities/new", _sized(body, size, worlds[0])) for size in sizes),
        )
    yield f"{name}: remove", one("DELETE", "/entities/e1")


def _sized(body: Body, size: int, world: str) -> Body:
    """An entity whose texts are cut to a size."""
    text = body.get("description", "")
    return {**body, "title": body["title"][:size], "world": world,
            "description": (text * (size // max(len(text), 1)))[:size],
            "aliases": body.get("aliases", [])[: max(size // 200, 1)]}  # fmt: skip


def _admitted(service: Running, requests: Iterator[Request]) -> tuple[str, float, str]:
    """Send the first request that is admitted: which, its time, and what is wrong with its answer.

    The time is what the process takes of a core until then.
    """
    for method, path, body in requests:
        given = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        began = time.process_time()
        try:
            answer = service.call(method, path, given, token=TOKEN)
        except OSError as error:
            return f"{method} {path}", time.process_time() - began, f"no answer: {error}"
        took = time.process_time() - began
        if answer.status not in (413, 422):
            break
    size = f"{len(given or b'') / 1000:.0f} KB"
    if body and "mentions" in body:
        size = f"{len(body['mentions'])} mentions, k {body['k']}, {size}"
    wrong = "" if answer.status == 200 else f"status {answer.status}: {answer.body[:200]!r}"
    return f"{method} {path}, {size}", took, wrong


@contextlib.contextmanager
def _another_client(service: Running) -> Iterator[list[float]]:
    """Asks the other index as long as this lasts: what the process took during each answer."""
    waits, over = [], threading.Event()

    def ask() -> None:
        while not waits or not over.wait(0.05):
            began = time.process_time()
            given = {"mentions": [{"mention": "tower"}], "k": 1, "model": "small"}
            with contextlib.suppress(OSError):  # it took too long
                assert service.call("POST", "/retrieve", given).status == 200
            waits.append(time.process_time() - began)

    client = threading.Thread(target=ask)
    client.start()
    try:
        yield waits
    finally:
        over.set()
        client.join()


@contextlib.contextmanager
def _spoilt(fault: bool) -> Iterator[None]:
    """The fault: something that costs each request more than it may."""
    real = Notes.__call__

    async def slow(self: Notes, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            end = time.process_time() + MOST + 0.1
            token = b"authorization" in dict(scope["headers"])
            while token and message.get("status") == 200 and time.process_time() < end:
                pass
            await send(message)

        await real(self, scope, receive, sent if scope["type"] == "http" else send)

    with mock.patch.object(Notes, "__call__", slow) if fault else contextlib.nullcontext():
        yield
