"""Services on ports of their own, in threads of the test's process."""

import contextlib
import http.client
import json
import socket
import threading
import time
from dataclasses import dataclass, field

import pytest

from muver.io.network import listen
from muver.io.typed import read
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.serve import Limits
from muver.kb.serve.models import Models, Served
from muver.kb.serve.routes import Service
from muver.kb.serve.run import make_server
from tests.kb.serve.fake import FakeIndex, shelf

TOKEN = "0123456789abcdef"
WAIT = 30  # seconds, on a machine that does other things as well


def until(condition):
    """Wait for something that happens elsewhere."""
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "waited in vain"


ENTITIES = [
    Entity(id="smith", title="Anna Berg", description="She forged the gate. It is of iron."),
    Entity(id="baker", title="Otto Berg", description="He bakes bread. He sells it at noon."),
]


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def said(self):
        return self.json["detail"]


@dataclass
class Running:
    """A service that runs, and how to call it."""

    service: Service
    port: int
    shelves: dict
    server: object = field(repr=False)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/"

    def call(self, method, path, given=None, headers=None, token=None):
        """Call it; ``given`` is made JSON unless it is bytes."""
        headers = {"Content-Type": "application/json", **(headers or {})}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        body = given if given is None or isinstance(given, bytes) else json.dumps(given)
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, WAIT)) as line:
            line.request(method, path, body, headers)
            answer = line.getresponse()
            return Answer(answer.status, dict(answer.headers), answer.read())

    def retrieve(self, text, **more):
        """Ids of the entities found for a mention."""
        answer = self.call("POST", "/retrieve", {"mentions": [{"mention": text}], **more})
        assert answer.status == 200, answer.body
        return [one["id"] for one in answer.json["results"][0]["candidates"]]

    def line(self):
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), WAIT)


@contextlib.contextmanager
def running(limits=None, token=TOKEN, names=("town",), log_texts=False, models=None):
    """A service of made up indexes of these names, or of ``models``."""
    shelves = {name: shelf() for name in names}
    models = models or Models({name: Served(name, one.open()) for name, one in shelves.items()})
    given = read(Limits, {"look_seconds": 0.02, **(limits or {})})
    service = Service(models, given, token, log_texts)
    listening = listen("127.0.0.1", 0)
    server = make_server(service)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Running(service, listening.getsockname()[1], shelves, server)
    finally:
        server.should_exit = True
        thread.join()


class Held(FakeIndex):
    """An index that answers when it is let go; ``calls`` has the mentions of each time."""

    def __init__(self, served):
        super().__init__(served.index.shelf)
        self.begun, self.gate, self.calls = threading.Event(), threading.Event(), []
        served.index = self

    def refresh(self):
        return self

    def retrieve(self, mentions, k=64, excerpts=False, weights=None):
        self.begun.set()
        assert self.gate.wait(WAIT)
        self.calls.append([mention.text for mention in mentions])
        return super().retrieve(mentions, k)


@contextlib.contextmanager
def holding(service):
    held = Held(service.service.models.named(None))
    try:
        yield held
    finally:
        held.gate.set()


@pytest.fixture(scope="module")
def town():
    """A service that no test changes."""
    with running() as service:
        yield service


@pytest.fixture
def words(tmp_path):
    """An index of words."""
    Index.create(tmp_path / "words", ENTITIES, "bm25")
    return tmp_path / "words"
