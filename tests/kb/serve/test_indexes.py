"""True indexes behind the service, and the command as a process of its own."""

import contextlib
import http.client
import json
import signal
import subprocess
import sys
import urllib.request

import pytest

from muver.io.files import atomic_path, write_text
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.index.state import writing
from muver.kb.serve.models import open_models
from muver.retriever.answers import Mention
from tests.kb.rows import SETTINGS, index, write_row
from tests.kb.serve.conftest import TOKEN, WAIT, running, until


def test_an_index_is_changed_here_and_by_another_process(words):
    models = open_models([str(words)])
    with running(models=models) as service:
        assert service.retrieve("bread", k=1) == ["baker"]
        bell = {"title": "Bell", "description": "It is of bronze."}
        assert service.call("PUT", "/entities/bell", bell, token=TOKEN).json["added"] == 1
        assert service.call("PUT", "/entities/bell", bell, token=TOKEN).json["unchanged"] == 1
        assert service.retrieve("bronze", k=1) == ["bell"]
        Index.open(words).update([Entity(id="fish", title="Fish", description="It swims.")])
        until(lambda: service.retrieve("fish", k=1) == ["fish"])
        assert service.call("DELETE", "/entities/smit", token=TOKEN).status == 404
        assert service.call("DELETE", "/entities/bell", token=TOKEN).json["removed"] == 1
        assert service.call("GET", "/entities/bell").status == 404
        assert Index.open(words).generation == models.named(None).index.generation


def test_damage_is_told_without_paths_and_passes_when_it_is_mended(words, caplog):
    path = words / "index.json"
    whole = path.read_bytes()
    with running(models=open_models([str(words)])) as service:
        write_text(path, "{")
        until(lambda: service.call("GET", "/ready").status != 200)
        ready = service.call("GET", "/ready")
        put = service.call("PUT", "/entities/bell", {"title": "Bell"}, token=TOKEN)
        for answer in (ready, put):
            assert answer.status == 503 and "the service's log says why" in answer.said
            assert str(words) not in answer.said
        assert str(path) in caplog.text
        with atomic_path(path) as copy:
            copy.write_bytes(whole)
        until(lambda: service.call("GET", "/ready").status == 200)
        assert service.retrieve("bread", k=1) == ["baker"]


def test_a_change_waits_for_another_process(words):
    with running(models=open_models([str(words)])) as service, writing(words):
        answer = service.call("DELETE", "/entities/smith", token=TOKEN)
    assert (answer.status, answer.headers["retry-after"]) == (409, "1")


def test_words_have_no_views(words):
    with running(models=open_models([str(words)])) as service:
        asked = {"mention": {"mention": "bread"}, "id": "baker"}
        answer = service.call("POST", "/explain", asked)
        assert (answer.status, answer.json["views"]) == (200, [])


@pytest.fixture(scope="module")
def row(encoder, corpus, tmp_path_factory):
    root = write_row(encoder, corpus, tmp_path_factory.mktemp("row"))
    assert index(root, root / "muver", SETTINGS) == 0
    return root / "muver"


def test_a_row_of_the_workflow_answers_and_does_not_change(row):
    opened, mention = Index.open(row), Mention("king river", world="cedar")
    (found,) = opened.retrieve([mention], 3)
    with running(models=open_models([str(row)])) as service:
        assert service.retrieve("king river", k=3) == [one.document_id for one in found]
        model = service.call("GET", "/models").json[0]
        assert (model["name"], model["changes"], model["worlds"]) == ("muver", False, ["cedar"])
        asked = {"mention": {"mention": "king river"}, "id": found[0].document_id}
        views = service.call("POST", "/explain", asked).json["views"]
        told = opened.explain(mention, found[0].document_id).views
        assert [one["similarity"] for one in views] == [one.similarity for one in told]
        put = service.call("PUT", "/entities/x", {"title": "x"}, token=TOKEN)
        assert (put.status, put.said) == (422, "muver: a row of the workflow can't be changed.")
        assert service.call("GET", "/entities/none").status == 404


@contextlib.contextmanager
def as_a_process(words, *options, program=("-m", "muver.cli")):
    """A service as a process of its own, and its address."""
    call = [sys.executable, *program, "serve", f"town={words}", "--port", "0", *options]
    with subprocess.Popen(call, stderr=subprocess.PIPE, text=True) as process:
        yield process, next(line.split()[1] for line in process.stderr if "http://" in line)


def test_it_ends_well_when_told_to(words, tmp_path):
    """As a process: what it says at the start, an answer, and SIGHUP."""
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    with as_a_process(words, "--token-file", str(token)) as (process, address):
        with urllib.request.urlopen(f"{address}/ready") as answer:
            assert json.load(answer) == {"detail": "ready"}
        process.send_signal(signal.SIGHUP)
        rest = process.stderr.read()
    assert process.returncode == 0, rest
    assert rest.endswith("[serve] ended\n") and "Traceback" not in rest


STUCK = """
import sys, time
from muver.cli import main
from muver.kb.serve.waiting import Ranking
Ranking.__call__ = lambda *_: print("begun", file=sys.stderr, flush=True) or time.sleep(600)
main()
"""


def test_it_ends_whatever_the_worker_does(words):
    limits = ("--settings", '{"stop_seconds": 2}')
    with as_a_process(words, *limits, program=("-c", STUCK)) as (process, address):
        host, _, port = address.removeprefix("http://").partition(":")
        line = http.client.HTTPConnection(host, int(port), WAIT)
        headers = {"Content-Type": "application/json"}
        line.request("POST", "/retrieve", json.dumps({"mentions": [{"mention": "x"}]}), headers)
        assert process.stderr.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)
        answer = line.getresponse()
        assert (answer.status, json.load(answer)["detail"][:17]) == (503, "the service ends.")
        rest = process.stderr.read()
    assert process.returncode == 1 and "Traceback" not in rest
