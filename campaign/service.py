"""Requests drawn from the service's own description: no 5xx, and none that holds it.

Every route of `/openapi.json` gets parameters and bodies that its schema allows, values of other
types, odd texts, and bodies that were changed byte by byte; some carry the token and change the
index. A request holds if its status is below 500 and one that the route describes, and it took less
than a second of a core. In the end the service has to find an entity, with as many threads and open
files as after the first tenth of the requests, and less than a tenth more memory.
"""

import gc
import json
import random
import time
from collections.abc import Iterator
from dataclasses import replace
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

HELD = 1.0  # seconds of processor time
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


def size(process: psutil.Process) -> dict[str, float]:
    gc.collect()
    return {"memory": process.memory_info().rss, "threads": process.num_threads(),
            "open files": process.num_fds()}  # fmt: skip


def grown(first: dict[str, float], last: dict[str, float]) -> str:
    """What grew from one time to another; empty where all stayed flat."""
    more = {name: GROWTH * first[name] if name == "memory" else first[name] + 2 for name in first}
    return "; ".join(f"{one} grew from {first[one]} to {last[one]}" for one in first
                     if last[one] > more[one])  # fmt: skip
