"""A model of two towers, and a hub on this machine with a cache of the test's own."""

import http.server
import threading

import pytest

from tests import tiny
from tests.retriever.sharing.hub import TOKEN, Hub, handler_of


@pytest.fixture(scope="session")
def model(tmp_path_factory, encoder):
    """A model's directory."""
    folder = tmp_path_factory.mktemp("model")
    tiny.make_model(encoder, scale=20.0).save_pretrained(folder)
    return folder


@pytest.fixture
def hub(tmp_path, monkeypatch):
    made = Hub()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler_of(made))
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    monkeypatch.setattr(
        "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE",
        address + "/{repo_id}/resolve/{revision}/{filename}",
    )
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    yield made
    server.shutdown()
    server.server_close()
