"""A model of two towers, and a hub on this machine with a cache of the test's own."""

import http.server
import threading

import pytest

from muver.retriever.evaluation.records import Evaluation, Means
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
    threading.Thread(target=server.serve_forever, daemon=True).start()
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


@pytest.fixture
def evaluation():
    """Makes the record of a row by its system's name: one of four mentions found first."""

    def record(system: str) -> Evaluation:
        found, between = {1: 1, 64: 4}, {1: [20.0, 30.0], 64: [90.0, 100.0]}
        recall = {1: 25.0, 64: 100.0}
        return Evaluation(
            system=system, dataset="miniwikia", set="test", fingerprint="f", identified_as=None,
            kb=None, outside=0, matched_by_title=0, settings={}, precision={}, cutoffs=[1, 64],
            resample="documents", mentions=4, hits=found, micro=recall, macro=recall, worlds={},
            interval=Means(between, between), views_per_entity=1.0, index=None, model=None,
            run_sha256="",
        )  # fmt: skip

    return record
