"""Requests drawn from the service's own description: no 5xx, and none that holds it.

Every route of `/openapi.json` gets parameters and bodies that its schema allows, values of other
types, odd texts, and bodies that were changed byte by byte; some carry the token and change the
index. A request holds if its status is below 500 and one that the route describes, and it took less
than a second of a core. Requests whose end can be read in two ways get one answer at most, and the
connection ends. Entities that eight clients put while programs are started are all there, and
another process can change the index. In the end the service has to find an entity, with as many
threads and open files as after the first tenth of the requests, and less than a tenth more memory.
"""

import contextlib
import gc
import json
import random
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import quote

import psutil

from campaign import indexes
from campaign.mutations import odd
from campaign.plan import Case, Plan
from muver.kb.index.index import Index
from muver.kb.serve import routes
from muver.kb.serve.models import Models, Served
from tests import tiny
from tests.kb.serve.conftest import TOKEN, Running, running

ONE_WAY = 1, b"Content-Length: 4\r\n\r\nnull"
WAYS = [  # of telling where a body ends, that a server before this one may read otherwise
    (1, b"Content-Length: 4\r\nContent-Length: 44\r\n\r\nnull"),
    (1, b"Content-Length: 4, 44\r\n\r\nnull"),
    *((1, b"Content-Length: %s\r\n\r\nnull" % own) for own in (b"+4", b"0_4", b"-1", b"9" * 30)),
    *(
        (1, b"Transfer-Encoding%s\r\n\r\n0\r\n\r\n" % own)
        for own in (b": chunked, chunked", b": identity", b": gzip, chunked", b" : chunked",
                    b":\x0bchunked")
    ),
    (0, b"Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    (0, b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nnull"),
    *(
        (1, b"Transfer-Encoding: chunked\r\n\r\n%s\r\nnull\r\n0\r\n\r\n" % own)
        for own in (b"-4", b"0" * 99 + b"4", b"4\n")
    ),
    (1, b"a: \x00\r\nContent-Length: 4\r\n\r\nnull"),
    (1, b"a: 1\rContent-Length: 4\r\n\r\nnull"),
    (1, b"Host: example.org\r\nContent-Length: 4\r\n\r\nnull"),
]  # fmt: skip
HELD, PATIENCE = 1.0, 30  # seconds of processor time, and until a connection ends
GROWTH = 1.1
ODD = ["", " ", "\x00", "\u202eabc", "\x1b[2J", "\ud800", "a" * 9000, " . " * 3000, ". \n" * 2000,
       "<script>", "../../etc/passwd", "%00", "=1+1", "e1", "alder", "tower", "\U0001f3f0" * 200,
       "(" * 5000, "the tower of the king", "-1", "null"]  # fmt: skip
VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    10,
    64,
    10**30,
    1.5,
    1e308,
    [],
    {},
    [[]],
    "x",
    ["a"] * 50,
    json.loads('{"a":' * 300 + "1" + "}" * 300),
]


def drawn(schema: dict[str, Any], all: dict[str, Any], chance: random.Random) -> Any:
    """A value that a schema describes, or now and then another one."""
    if chance.random() < 0.08:
        return chance.choice([*VALUES, *ODD])
    if "$ref" in schema:
        return drawn(all[schema["$ref"].rpartition("/")[2]], all, chance)
    if "anyOf" in schema:
        return drawn(chance.choice(schema["anyOf"]), all, chance)
    match schema.get("type"):
        case "object":
            given = schema.get("properties", {})
            needed = schema.get("required", [])
            found = {
                name: drawn(one, all, chance)
                for name, one in given.items()
                if name in needed or chance.random() < 0.5
            }
            match schema.get("additionalProperties"):
                case True:
                    found[chance.choice(ODD)] = chance.choice([*VALUES, *ODD])
                case dict(own) if chance.random() < 0.1:
                    found[chance.choice(ODD)] = drawn(own, all, chance)
            return found
        case "array":
            return [
                drawn(schema["items"], all, chance) for _ in range(chance.choice((0, 1, 2, 30)))
            ]
        case "integer" | "number":
            return chance.choice([1, 2, 5, 1000, -1, 10**9])
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
    return chance.choice([*ODD, *tiny.WORDS])


def _ask(service: Running, paths: dict, schemas: dict, chance: random.Random) -> tuple[str, str]:
    """Send a request: which, and what is wrong with the status of its answer."""
    path = chance.choice(sorted(paths))
    method = chance.choice(sorted(paths[path]))
    told = paths[path][method]
    query = []
    for one in told.get("parameters", []):
        value = str(drawn(one["schema"], schemas, chance))
        value = quote(value.encode("utf-8", "surrogatepass"), safe="")
        if one["in"] == "path":
            path = path.replace(f"{{{one['name']}}}", value or "x")
        elif chance.random() < 0.6:
            query.append(f"{one['name']}={value}")
    body = None
    if "requestBody" in told:
        schema = told["requestBody"]["content"]["application/json"]["schema"]
        body = json.dumps(drawn(schema, schemas, chance)).encode()
        if chance.random() < 0.2:
            body = odd(body, chance)
    token = TOKEN if chance.random() < 0.5 else None
    answer = service.call(method.upper(), f"{path}?{'&'.join(query)}", body, token=token)
    right = answer.status < 500 and str(answer.status) in told["responses"]
    return f"{method.upper()} {path[:60]}", "" if right else f"status {answer.status}"


def attack(plan: Plan) -> Iterator[Case]:
    """Two indexes, one of words and one with a model, in a service of this process."""
    encoder = tiny.make_encoder(plan.folder / "encoder")
    tiny.make_model(encoder).save_pretrained(plan.folder / "towers")
    served = {}
    for name, model in (("words", "bm25"), ("model", plan.folder / "towers")):
        index = Index.create(plan.folder / name, indexes.entities(40), model)
        served[name] = Served(name, index)
    process, first = psutil.Process(), {}
    broken = mock.patch.object(routes, "check", side_effect=RuntimeError) if plan.fault else None
    with running(models=Models(served)) as service:
        for number, way in enumerate([ONE_WAY] if plan.fault else WAYS):
            yield Case("ends of a body", f"way {number}", _answered(service, *way))
        wrong = _changed(service, plan.folder / "words", plan.fault)
        yield Case("changes at once", "", wrong)
        described = service.call("GET", "/openapi.json").json
        paths, schemas = described["paths"], described["components"]["schemas"]
        if broken:  # the fault: a route with a mistake in it
            broken.start()
            paths, plan = {"/retrieve": paths["/retrieve"]}, replace(plan, cases=50)
        for number, chance in plan.turns():
            began = time.process_time()
            try:
                what, wrong = _ask(service, paths, schemas, chance)
            except OSError as error:
                what, wrong = "a request", f"no answer: {error!r}"
            took = time.process_time() - began
            wrong = wrong or f"held the service for {took:.1f} s" * (took > HELD)
            yield Case("requests", f"case {number}: {what}", wrong)
            if number == plan.cases // 10:
                first = size(process)
        if broken:
            broken.stop()
            return
        found = service.call("POST", "/retrieve", {"mentions": [{"mention": "tower"}]})
        wrong = "" if found.status == 200 else f"status {found.status}"
        yield Case("afterwards", "it still answers", wrong)
        if first:
            yield Case("afterwards", "memory, threads, open files", grown(first, size(process)))


def _answered(service: Running, version: int, ends: bytes) -> str:
    """What is wrong with the answer to a request that is followed by another one."""
    head = b"POST /retrieve HTTP/1.%d\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    said = b""
    after = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    with (
        socket.create_connection(("127.0.0.1", service.port), PATIENCE) as line,
        contextlib.suppress(ConnectionError),  # it ends the connection
    ):
        line.sendall(head % version + ends + after)
        while more := line.recv(2**16):
            said += more
    answers = re.findall(rb"HTTP/1\.1 (\d)", said)
    return f"answers: {answers}" * (len(answers) > 1 or b"5" in answers)


def _changed(service: Running, folder: Path, fault: bool) -> str:
    """What is wrong after eight clients put entities while programs are started, which live on."""

    def put(name: str) -> int:
        given = {"title": "a tower", "world": "alder"}
        while True:
            answer = service.call("PUT", f"/entities/{name}?model=words", given, token=TOKEN)
            if answer.status != 409:
                return answer.status

    names = [f"put{n}" for n in range(16)]
    with ThreadPoolExecutor(8) as clients, contextlib.ExitStack() as programs:
        statuses = clients.map(put, names)
        for _ in names:
            started = subprocess.Popen(["sleep", "60"], close_fds=False)
            programs.callback(started.kill)
        wrong = [f"status {one}" for one in statuses if one != 200]
        remove = [
            sys.executable,
            "-m",
            "muver.cli",
            "index",
            "remove",
            folder,
            *names,
            *["none"] * fault,
        ]
        done = subprocess.run(remove, stderr=subprocess.PIPE, text=True)
    return "; ".join(wrong) or done.stderr[-500:] * (done.returncode != 0)


def size(process: psutil.Process) -> dict[str, float]:
    gc.collect()
    return {"memory": process.memory_info().rss, "threads": process.num_threads(),
            "open files": process.num_fds()}  # fmt: skip


def grown(first: dict[str, float], last: dict[str, float]) -> str:
    """What grew from one time to another; empty where all stayed flat."""
    more = {name: GROWTH * first[name] if name == "memory" else first[name] + 2 for name in first}
    return "; ".join(f"{one} grew from {first[one]} to {last[one]}" for one in first
                     if last[one] > more[one])  # fmt: skip
