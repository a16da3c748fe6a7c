"""Models and indexes go to the hub and come back, by way of a stand-in of it."""

import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.hub import check_there, fetched, taken_model
from muver.retriever.encoders.start import make_start

ENTITIES = [Entity(id="1", title="king river"), Entity(id="2", title="tower bell")]


def test_a_model_goes_and_comes_back(hub, model, tmp_path, monkeypatch, capsys):
    assert main(["push", str(model), "someone/smiths", "--private"]) == 0
    assert "/someone/smiths/commit/" in capsys.readouterr().err and hub.private["someone/smiths"]
    commit, files = hub.files("someone/smiths", "main")
    assert {"modules.json", "entity_encoder/modules.json", "muver.json"} <= files.keys()
    card = files["README.md"].decode()
    assert 'SentenceTransformer("someone/smiths")' in card and "Not measured" in card
    index = Index.create(tmp_path / "index", ENTITIES, model="someone/smiths")
    assert index.info()["model"] == f"someone/smiths@{commit}" and index.info()["trained"]
    expected = Index.create(tmp_path / "other", ENTITIES, model=str(model))
    assert index.search("king [[river]]") == expected.search("king [[river]]")
    # Once fetched the network is not needed, and an unknown name is a mistake.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    Index.create(tmp_path / "again", ENTITIES, model=f"someone/smiths@{commit}")
    check_there("someone/smiths")


def test_a_model_is_an_encoder_too(hub, model, tmp_path):
    """Both towers then start from its entity tower, pooled as it was trained."""
    assert main(["push", str(model), "someone/smiths"]) == 0
    check_there("someone/smiths")
    for number, source in enumerate(["someone/smiths", str(model)]):
        make_start(source, tmp_path / str(number), {"pooling": "auto"})
        weights = (tmp_path / str(number) / "model.safetensors").read_bytes()
        assert weights == (model / "entity_encoder/model.safetensors").read_bytes()
    made = read_json(tmp_path / "0/manifest.json")
    assert made["name"].startswith("someone/smiths@")
    assert made["identity"]["vectors"]["pooling"] == "cls"
    assert made["identity"]["vectors"]["normalised"] is True
    BiEncoder.from_encoder(tmp_path / "0", BiEncoder.from_pretrained(model).config)


def test_an_index_goes_and_comes_back(hub, tmp_path):
    index = Index.create(tmp_path / "index", ENTITIES, model="bm25")
    assert index.push_to_hub("someone/base").startswith("http://127.0.0.1")
    _, files = hub.files("someone/base", "main")
    assert b"An index of 2 entities" in files["README.md"] and "lock" not in files
    taken = Index.from_pretrained("someone/base")
    assert taken.search("[[river]]") == index.search("[[river]]") != []
    with pytest.raises(
        InputError,
        match="an index in the hub's cache, not to be changed. .* or a copy by save_pretrained",
    ):
        taken.add([Entity(id="3", title="crown")])
    own = taken.save_pretrained(tmp_path / "own")
    own.add([Entity(id="3", title="crown")])
    assert (len(taken), len(own), len(Index.from_pretrained(tmp_path / "own"))) == (2, 3, 3)
    with pytest.raises(InputError, match="is there already"):
        taken.save_pretrained(tmp_path / "own")
    with pytest.raises(InputError, match="neither the folder of an index here nor one of the hub"):
        Index.from_pretrained("someone/else")


def test_what_cannot_be_pushed_or_taken(hub, model, tmp_path, monkeypatch, capsys):
    assert taken_model("someone/else") is None and fetched("a/b/c", "muver.json") is None
    for name, token in (("smiths/of/all", "hf_of_a_test"), ("someone/smiths", "hf_another")):
        monkeypatch.setenv("HF_TOKEN", token)
        assert main(["push", str(model), name]) == 2
        assert f"{name}: cannot be pushed" in capsys.readouterr().err
    assert not hub.repositories
    assert main(["push", str(tmp_path), "someone/smiths"]) == 2
    assert "no model's directory" in capsys.readouterr().err
