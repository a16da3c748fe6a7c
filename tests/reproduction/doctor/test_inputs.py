"""What a run takes from outside: there, to be downloaded, or missing."""

from pathlib import Path

import pytest

from muver.reproduction.doctor import check
from muver.retriever.encoders import hub
from tests.reproduction.settings import graph


def touch(*files: str) -> None:
    for file in map(Path, files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def looked(preset="zeshel", **overrides) -> list[tuple[str, str]]:
    """Status and first word of what is said of data and weights, under a preset and settings."""
    asked_graph = graph(preset=preset, **overrides)
    found = check.data(asked_graph, asked_graph.asked(asked_graph.settings.results))
    return [(one.status, one.says.split()[0].rstrip(":")) for one in found]


@pytest.mark.parametrize("preset", ["miniwikia", "miniwikipedia"])
def test_nothing_to_fetch(preset):
    assert looked(preset=preset) == [("ok", preset)]
    assert check.encoder(graph(preset=preset)).status == "ok"


def test_what_zeshel_downloads():
    assert looked() == [("note", "zeshel")]
    artifacts = graph(preset="zeshel").asked(["table1"])
    touch(*(file for artifact in artifacts if artifact.kind == "raw" for file in artifact.files))
    assert looked() == [("ok", "zeshel")]


def test_an_archive_fetched_by_hand():
    settings = {"download": {"source": "z.tar"}}
    assert looked(**settings) == [("PROBLEM", "download.source")]
    touch("z.tar")
    assert looked(**settings) == [("ok", "z.tar")]


def test_a_directory_without_mentions():
    touch("mine/documents/world.json")
    missing = [f"mine/mentions/{split}.json" for split in ("train", "val", "test")]
    found = looked(preset="directory", dataset="mine")
    assert found == [("PROBLEM", name) for name in [*missing, "mine/documents/world.json"]]


def test_encoder(monkeypatch):
    def found(**settings):
        return check.encoder(graph(preset="zeshel", **settings))

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(hub, "cached", lambda name: None)
    assert found().status == "note"
    wrong = found(encoder="./nope")
    assert wrong.status == "PROBLEM" and "neither a directory here nor" in wrong.says
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert found().status == "PROBLEM" and "HF_HUB_OFFLINE is set" in found().says
    monkeypatch.setattr(hub, "cached", lambda name: Path("config.json"))
    assert found().status == "ok"
    monkeypatch.setattr(hub, "cached", lambda name: None)
    touch(*graph(preset="zeshel").start.files)
    assert found().status == "ok"


def test_checkpoints():
    assert looked(preset="released")[-1] == ("PROBLEM", "models.muver_released.checkpoint")
    touch("best_zeshel.bin")
    assert looked(preset="released")[-1] == ("ok", "muver_released")


RAW = "build/wikipedia/raw"
DOWNLOADS = {"kilt", "blink_biencoder", "blink_entities", "blink_benchmarks"}


def test_what_wikipedia_downloads():
    assert set(looked(preset="wikipedia")) == {("note", name) for name in DOWNLOADS}
    files = ("kilt_knowledgesource.json", "entity.jsonl", "biencoder_wiki_large.bin")
    touch(*(f"{RAW}/{name}" for name in files), f"{RAW}/benchmarks/some.conll")
    assert set(looked(preset="wikipedia")) == {("ok", name) for name in DOWNLOADS}


def test_sources_fetched_by_hand():
    settings = {"preset": "wikipedia", "linking": {"source": {"kilt": "dump.json"}}}
    assert looked(**settings)[0] == ("PROBLEM", "linking.source.kilt")
    touch("dump.json")
    assert looked(**settings)[0] == ("ok", "dump.json")


def test_weights_of_ones_own_are_not_downloaded():
    settings = {"preset": "wikipedia", "models": {"blink_wiki": {"checkpoint": "mine.bin"}}}
    assert ("PROBLEM", "models.blink_wiki.checkpoint") in looked(**settings)
    touch("mine.bin")
    assert ("ok", "blink_wiki") in looked(**settings)
