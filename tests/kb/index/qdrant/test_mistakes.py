"""What goes wrong with Qdrant, said clearly."""

import socket

import pytest

from muver.io.errors import InputError
from muver.kb.index.index import Index
from muver.kb.index.opening import opened_index
from muver.kb.index.snapshot import NoAnswer
from muver.retriever.answers import Mention
from tests import tiny
from tests.kb.index.qdrant.conftest import RANKED

WHERE = "http://qdrant.test:6333/harbour"


@pytest.fixture
def index(tmp_path, model, entities) -> Index:
    return Index.create(tmp_path / "harbour", entities[:2], model)


def refused(message, index, where=WHERE, kind=InputError):
    """Neither push nor open."""
    for call in (lambda: index.push(where), lambda: opened_index(index.folder, where)):
        with pytest.raises(kind, match=message):
            call()


@pytest.mark.parametrize(
    "settings",
    [
        {"aggregate": {"kind": "log_mean_exp", "temperature": 2}},
        {"views": "global", "global_tokens": 60},
    ],
)
def test_indexes_that_qdrant_cannot_rank(settings, tmp_path, model, entities, qdrant):
    index = Index.create(tmp_path / "index", entities[:1], model, **settings)
    refused(f"{index.folder}: .*Ask it without --qdrant", index)
    assert qdrant.get_collections().collections == []


def test_words_alone(tmp_path, entities, qdrant):
    refused("Ask it without --qdrant", Index.create(tmp_path / "index", entities, "bm25"))


def test_collections_of_something_else(index, tmp_path, encoder, entities, qdrant):
    from qdrant_client import models

    with pytest.raises(InputError, match="harbour: no such collection. .*`muver index push`"):
        opened_index(index.folder, WHERE)
    params = models.VectorParams(size=4, distance=models.Distance.DOT)
    qdrant.create_collection("harbour", params)
    refused("harbour: this collection was not made by `muver index push`. Name another", index)
    index.push(f"{WHERE}-2")
    tiny.make_model(encoder, pooling="all").save_pretrained(tmp_path / "other")
    other = Index.create(tmp_path / "index", entities[:1], tmp_path / "other")
    refused("of an index with another model or other settings.*Name another", other, f"{WHERE}-2")


def test_no_server(index):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        where = f"http://127.0.0.1:{free.getsockname()[1]}/harbour"
        refused("harbour: no answer from Qdrant .*Is it running there", index, where, NoAnswer)


@pytest.mark.parametrize("status", [401, 404])
def test_a_server_that_refuses(status, index, site):
    site.status = status
    refused(f"Qdrant refused .*{status}.*QDRANT_API_KEY", index, site.address, NoAnswer)


def test_another_server(index, site):
    site.body, site.content_type = b"<html>", "text/html"
    refused("archive: no answer from Qdrant", index, site.address, NoAnswer)


def test_signals_that_qdrant_does_not_rank_by(index, qdrant):
    index.push(WHERE)
    pushed = opened_index(index.folder, WHERE)
    for weights, cure in (({}, "views=1,words=0,characters=0"), ({"views": 0}, "views=1,words=0")):
        with pytest.raises(InputError, match=f"by exact and views alone. Ask with .*{cure}"):
            pushed.retrieve([Mention("x")], weights=weights)
    assert pushed.retrieve([Mention("x")], weights=RANKED)[0]
