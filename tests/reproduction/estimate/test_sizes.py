"""Sizes of encoders, corpora and knowledge bases: of what is here, else as known before."""

from pathlib import Path

import pytest

from muver.io.errors import InputError
from muver.kb.importing.parts import read_dump
from muver.reproduction.estimate import sizes
from muver.reproduction.estimate.lengths import AT_MOST, SAMPLED, lengths_of
from muver.reproduction.estimate.sizes import base_sizes, encoder_sizes, world_counts
from muver.reproduction.settings import resolve
from muver.reproduction.settings.file import read_params
from muver.reproduction.workspace import graph_of
from muver.retriever.corpus.sources import find_source
from tests.knowledge_base import line, reading

PARAMS = read_params(Path(__file__).parents[3] / "params.yaml")
GRAPH = graph_of(resolve(PARAMS, {"preset": "wikipedia"}))
HEADER = 128  # bytes of an .npy file


def graph(**overrides):
    return graph_of(resolve(PARAMS, overrides))


@pytest.fixture(autouse=True)
def nothing_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "dump.json"
    pages = [line(n, f"P{n}", *["text"] * (n % 4)) for n in range(1, 41)]
    path.write_bytes(b"".join(pages))
    return path


def test_before_there_is_a_base():
    base = base_sizes(GRAPH)
    assert base.entities == find_source("kilt").published.entities["wikipedia"] == 5_903_530
    assert base.mentions == find_source("blink_benchmarks").published.mentions
    assert round(base.dump_bytes / 2**30, 2) == 34.76
    asked = base_sizes(GRAPH, entities=1000, dump_bytes=50_000)
    assert (asked.segments, asked.bytes, asked.origin) == (5000, 50_000 + 32_000, "at most")
    made = base_sizes(graph(preset="miniwikipedia"))
    assert (made.entities, made.mentions["msnbc"]) == (3000, 150)


def test_a_finished_base_is_counted(dump, tmp_path):
    settings = reading(part_bytes=1000)
    read_dump(dump, tmp_path / "kb", settings)
    base = base_sizes(GRAPH, tmp_path / "kb", dump, entities=7)
    files = [path for path in (tmp_path / "kb").iterdir() if path.suffix != ".json"]
    arrays = sum(path.suffix == ".npy" for path in files)
    assert arrays == 3 and len(files) > 4
    assert base.bytes == sum(path.stat().st_size for path in files) - arrays * HEADER
    # 10 pages each of 0, 1, 2 and 3 paragraphs; those without any count as one.
    assert (base.entities, base.segments, base.origin) == (40, 70, "measured")
    assert base.dump_bytes == dump.stat().st_size


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match="has no parts with entities. `muver kb` makes them"):
        base_sizes(GRAPH, kb=tmp_path)
    with pytest.raises(InputError, match="none.json: no such file"):
        base_sizes(GRAPH, dump=tmp_path / "none.json")


def test_lengths_of_a_base(dump, tmp_path, encoder):
    read_dump(dump, tmp_path / "kb", reading(part_bytes=1000))
    base = base_sizes(GRAPH, tmp_path / "kb")
    unknown = lengths_of(GRAPH, "muver_wiki", base)
    assert (unknown.views, unknown.tokens) == (base.segments / 40, 40)
    assert (unknown.origin, unknown.laying_out) == (AT_MOST, 0)
    found = lengths_of(GRAPH, "muver_wiki", base, tmp_path / "kb", encoder)
    assert found.origin == SAMPLED and found.views == unknown.views
    assert found.tokens < 40 and found.laying_out > 0
    assert lengths_of(GRAPH, "blink_wiki", base).views == 1


def test_counts_before_there_are_data(tmp_path):
    made = world_counts(graph())
    assert made.origin == "as params.yaml asks"
    assert made.entities == {"train": 9600, "val": 600, "test": 1800}
    published = world_counts(graph(preset="zeshel"))
    assert (published.origin, published.entities["test"]) == ("as published", 70140)
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "world.json").touch()
    assert world_counts(graph(dataset=str(tmp_path))) is None


@pytest.mark.parametrize(
    ("encoder", "hidden", "origin"),
    [
        ("scratch", 128, "the section scratch"),
        ("bert-large-uncased", 1024, "as published"),
        ("sentence-transformers/all-MiniLM-L6-v2", 384, "as published"),
        ("nobody/no-such-encoder", 768, "BERT-base, since the encoder is not here"),
    ],
)
def test_encoders_that_are_not_here(encoder, hidden, origin, monkeypatch):
    monkeypatch.setattr(sizes, "cached", lambda name: None)
    found, known = encoder_sizes(graph(encoder=encoder))
    assert (found.hidden_size, known) == (hidden, origin)


def test_lengths_of_a_sample(corpus, encoder):
    own = graph(models={"muver": {"views": {"training_views": 1}}})
    unknown = lengths_of(own, "muver")
    assert (unknown.tokens, unknown.context) == (40, 32) and AT_MOST in unknown.origin
    for path, name in zip(corpus, ("entities", "mentions", "sentences"), strict=True):
        link(own.texts[name].path, path)
    link(own.encoder.path, encoder)
    found = lengths_of(own, "muver")
    assert found.origin == SAMPLED and found.laying_out > 0
    assert 1 < found.views <= 5 and found.tokens <= 40 and found.context <= 32
    assert found.training_views == 1 < lengths_of(own, "muver_all_views").training_views


def link(name, path):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).symlink_to(path)
