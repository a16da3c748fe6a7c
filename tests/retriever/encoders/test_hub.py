"""Where an encoder is to be had: asked before anything is loaded."""

import pytest

from muver.io.errors import InputError
from muver.retriever.encoders import hub


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch, site):
    """An empty folder, an empty cache, and a hub of one's own that answers with 200."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", site.address)


@pytest.mark.parametrize(
    "name", ["scratch", "bert-base-uncased", "someone/small-bert", "someone/small-bert@1f0c"]
)
def test_what_the_hub_could_have(name):
    hub.check_form(name)
    hub.check_there(name)


@pytest.mark.parametrize("source", ["./nope", "/no/such/folder", "a/b/c", "~/bert"])
def test_what_no_hub_could_have(source):
    with pytest.raises(InputError, match=f"encoder '{source}': neither a directory here nor a"):
        hub.check_form(source)


def test_what_is_no_encoder(tmp_path, site, monkeypatch):
    """A folder without configuration or weights, a name that nobody has, no network."""

    def refused(check, name, *named):
        with pytest.raises(InputError) as error:
            check(name)
        assert all(one in str(error.value) for one in (name, *named))

    (tmp_path / "bert").mkdir()
    refused(hub.check_form, "bert", "no configuration")
    (tmp_path / "bert" / "config.json").touch()
    refused(hub.check_there, "bert", "model.safetensors")
    site.status = 404
    refused(hub.check_there, "bert-base-uncasd", "404", "Check the name")
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    refused(hub.check_there, "bert-base-uncased", "127.0.0.1:9", "ConnectionError")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    refused(hub.check_there, "bert-base-uncased", "HF_HUB_OFFLINE is set")


def test_a_hub_that_has_trouble_is_asked_again_by_its_own_client(site):
    site.status = 503
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
    assert hub.pinned("someone/small-bert") == f"someone/small-bert@{'0' * 40}"
    assert hub.pinned(str(tmp_path)) == str(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub.check_there("someone/small-bert")
    hub.check_there(f"someone/small-bert@{'0' * 40}")
    with pytest.raises(InputError, match="nor in the hub's cache"):
        hub.check_there(f"someone/small-bert@{'1' * 40}")


def test_a_folder_may_have_the_sign_of_a_revision_in_its_name(tmp_path):
    (tmp_path / "bert@home").mkdir()
    assert hub.at_revision("bert@home") == ("bert@home", "main")
