"""Where an encoder is to be had: asked before anything is loaded."""

import pytest

from muver.encoders import hub
from muver.io.errors import InputError


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch, site):
    """An empty folder, an empty cache, and a hub of one's own that answers with 200."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", site.address)


@pytest.mark.parametrize("name", ["scratch", "bert-base-uncased", "someone/small-bert"])
def test_what_the_hub_could_have(name):
    hub.check_form(name)
    hub.check_there(name)


@pytest.mark.parametrize("source", ["./nope", "/no/such/folder", "a/b/c", "~/bert"])
def test_what_no_hub_could_have(source):
    with pytest.raises(InputError, match=f"encoder '{source}': neither a directory here nor a"):
        hub.check_form(source)


def test_a_directory_that_is_no_encoder(tmp_path):
    (tmp_path / "bert").mkdir()
    with pytest.raises(InputError, match="encoder bert: no configuration in it"):
        hub.check_form("bert")
    (tmp_path / "bert" / "config.json").touch()
    with pytest.raises(InputError, match="no weights in it .looked for model.safetensors, py"):
        hub.check_there("bert")


def test_a_name_that_the_hub_does_not_have(site):
    site.status = 404
    with pytest.raises(InputError, match="uncasd'.*the hub has none.*404 from .*Check the name"):
        hub.check_there("bert-base-uncasd")


def test_a_hub_that_has_trouble_is_asked_again_by_its_own_client(site):
    site.status = 503
    hub.check_there("bert-base-uncased")


def test_no_network(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="127.0.0.1:9 cannot be reached .ConnectionError."):
        hub.check_there("bert-base-uncased")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(InputError, match="HF_HUB_OFFLINE is set. Fetch it once"):
        hub.check_there("bert-base-uncased")


def test_a_cache(tmp_path, monkeypatch):
    assert hub.cached("someone/small-bert") is hub.cached("./nope") is None
    snapshot = tmp_path / "cache" / "models--someone--small-bert" / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("0" * 40)
    (snapshot / "config.json").touch()
    assert hub.cached("someone/small-bert") is None  # without weights
    (snapshot / "model.safetensors").touch()
    assert hub.cached("someone/small-bert") == snapshot / "config.json"
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub.check_there("someone/small-bert")
