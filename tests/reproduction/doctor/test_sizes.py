"""Sizes of encoders and data: of what is here, else as known before."""

import json
from pathlib import Path

import pytest

from muver.reproduction.doctor import sizes
from muver.reproduction.doctor.plan import COSTS
from muver.reproduction.doctor.sizes import VIEWS, data_sizes, encoder_sizes
from muver.retriever.corpus.sources import find_source
from tests.reproduction.settings import graph


def write(path, content=None):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(json.dumps(content))


def test_before_there_is_a_base():
    base = data_sizes(graph(preset="wikipedia"))
    assert base.whole == find_source("kilt").published.entities["wikipedia"] == 5_903_530
    published = find_source("blink_benchmarks").published.mentions
    assert base.mentions == {
        **published,
        "train": published["aida-train"],
        "val": published["aida-testa"],
    }
    assert (base.parts, base.views) == (279, 5)
    invented = data_sizes(graph(preset="miniwikipedia"))
    assert (invented.whole, invented.mentions["msnbc"]) == (3000, 150)


def test_a_finished_base_is_counted():
    wikipedia = graph(preset="wikipedia")
    parts = [{"file": f"part-0000{n}.parquet"} for n in range(3)]
    write(f"{wikipedia.kb.path}/manifest.json", {"entities": 40, "parts": parts})
    base = data_sizes(wikipedia)
    assert (base.whole, base.parts, base.pairs["msnbc"]) == (40, 3, 40 * 656)


def test_counts_before_there_are_data():
    worlds = data_sizes(graph())
    assert worlds.entities == {"train": 9600, "val": 600, "test": 1800}
    assert worlds.pairs["test"] == 600 * worlds.mentions["test"] and worlds.views == VIEWS
    assert data_sizes(graph(preset="zeshel")).entities["test"] == 70140
    write("mine/documents/world.json")
    assert data_sizes(graph(dataset="mine")) is None


def test_a_corpus_is_counted():
    worlds = graph()
    counts = {"entities": {"train": 6, "val": 2, "test": 2}, "mentions": {"train": 3, "val": 1}}
    counts["mentions"]["test"] = 8
    counts["worlds"] = {str(n): {"split": split} for n, split in enumerate(("val", "test", "test"))}
    write(worlds.corpus["/counts.json"].path, counts)
    write(worlds.segment["/manifest.json"].path, {"sentences": {"0": 30, "1": 15, "2": 15}})
    found = data_sizes(worlds)
    assert (found.whole, found.views, found.pairs["test"]) == (10, 6, 8)


@pytest.mark.parametrize(
    ("encoder", "hidden"),
    [
        ("scratch", 128),
        ("miniwikia-bert", 128),
        ("bert-large-uncased", 1024),
        ("sentence-transformers/all-MiniLM-L6-v2", 384),
        ("nobody/no-such-encoder", 768),
    ],
)
def test_encoders_that_are_not_here(encoder, hidden, monkeypatch):
    monkeypatch.setattr(sizes, "cached", lambda name: None)
    assert encoder_sizes(graph(encoder=encoder), COSTS["encoders"]).hidden_size == hidden
