"""Services on ports of their own, in threads of the test's process."""

import atexit
import contextlib
import http.client
import json
import shutil
import socket
import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from muver.io.files import write_json
from muver.io.network import listen
from muver.io.typed import read
from muver.kb.index.calibration import FILE, Calibration, Decision, Logistic
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.serve import Limits
from muver.kb.serve.models import Models, Served
from muver.kb.serve.routes import Service
from muver.kb.serve.run import make_server
from muver.retriever.encoders.encoders_settings import Scratch
from muver.retriever.encoders.start import from_scratch
from tests import tiny

TOKEN = "0123456789abcdef"
WAIT = 30  # seconds, on a machine that does other things as well


def until(condition):
    """Wait for something that happens elsewhere."""
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "waited in vain"


TEXTS = {
    ("smith", "Anna Berg"): "Anna lives by the river. She forged the gate in spring.",
    ("baker", "Otto Berg"): "Otto bakes bread. He sells it at the gate.",
    ("gate", "North Gate"): "A gate of iron. Its bell rings at noon.",
}
ENTITIES = [
    Entity(id=id, title=title, description=text, world="town")
    for (id, title), text in TEXTS.items()
]


@cache
def town_index() -> Path:
    """An index of a town, which is copied: its words decide, and a model says which view won."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    from_scratch(TEXTS.values(), read(Scratch, tiny.SCRATCH), 7, folder / "encoder")
    views = {**tiny.SENTENCE_VIEWS, "max_tokens": 60}
    tiny.make_model(folder / "encoder", views=views).save_pretrained(folder / "model")
    asked = {"weights": {"views": 0.01}, "words": {"query": "mention_and_context"}}
    return Index.create(folder / "index", ENTITIES, folder / "model", **asked).folder


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
    """A service of copies of the town's index by these names, or of ``models``."""
    with tempfile.TemporaryDirectory() as folder:
        if models is None:
            models = Models()
            for number, name in enumerate(names):
                copy = shutil.copytree(town_index(), Path(folder, str(number)))
                models[name] = Served(name, Index.open(copy))
        given = read(Limits, {"look_seconds": 0.02, **(limits or {})})
        service = Service(models, given, token, log_texts)
        listening = listen("127.0.0.1", 0)
        server = make_server(service)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Running(service, listening.getsockname()[1], server)
        finally:
            server.should_exit = True
            thread.join()


def calibrate(service, threshold):
    """Let the probability of a candidate be that of its score, and wait until the service knows."""
    index = service.service.models.named(None).index
    regression = Logistic([0.5] * 5, [0.1] * 5, [1.0, 0, 0, 0, 0], 0.0)
    none = Decision(0, 0, 0, 0, 0)
    kept = Calibration(index.fingerprint, regression, threshold, 0, 0, none, none)
    write_json(index.folder / FILE, kept)
    until(lambda: service.call("GET", "/models").json[0]["calibrated"])


class Held:
    """Answers of an index that come when they are let go; ``calls`` has the mentions of each."""

    def __init__(self, index):
        self.begun, self.gate, self.calls = threading.Event(), threading.Event(), []
        self._retrieve, index.retrieve = index.retrieve, self.retrieve

    def retrieve(self, mentions, *more):
        self.begun.set()
        assert self.gate.wait(WAIT)
        self.calls.append([mention.text for mention in mentions])
        return self._retrieve(mentions, *more)


@contextlib.contextmanager
def holding(service):
    held = Held(service.service.models.named(None).index)
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
