"""A part of a knowledge base to vectors: the same as of the ordinary store, once, or not at all."""

import json
import shutil
from unittest.mock import Mock

import numpy as np
import pyarrow.parquet as pq
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, write_json
from muver.io.parquet import table_of, write_table
from muver.retriever.corpus.corpus_settings import ReadTexts
from muver.retriever.corpus.knowledge_base import open_part
from muver.retriever.corpus.parts import write_texts
from muver.retriever.corpus.schema import ENTITIES, MENTIONS, SENTENCES
from muver.retriever.encoders import kb as stage
from muver.retriever.encoders.encode import Encoder
from muver.retriever.encoders.fingerprint import model_fingerprint
from muver.retriever.encoders.kb import Part, encode_part
from muver.retriever.encoders.worlds import Encode, encode_split
from muver.retriever.vectors.part import open_layer
from muver.retriever.vectors.shards import Shards
from muver.retriever.views.build import entity_views
from tests import tiny
from tests.knowledge_base import made_parts
from tests.retriever.encoders.stages.wikipedia import BARE, make_base

FP32 = tiny.settings(Part, dtype="fp32")
FP16 = tiny.settings(Part, dtype="fp16")
PARAGRAPHS = {"kind": "sentences", "max_tokens": 40, "min_pieces": 1, "title_room": 6,
              "training_views": None}  # fmt: skip
PREFIX = {"kind": "prefix", "max_tokens": 60}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("wikipedia")


@pytest.fixture(scope="module")
def kb(root):
    """Several parts, the last entity of the last one without paragraphs."""
    folder = make_base(root, 20_000)
    assert len(made_parts(folder)) > 2
    return folder


@pytest.fixture(scope="module")
def models(root, encoder):
    for name, views in (("paragraphs", PARAGRAPHS), ("prefix", PREFIX)):
        tiny.make_model(encoder, views=views).save_pretrained(root / name)
    return root


def encode_all(model, kb, out, settings):
    return [encode_part(model, kb, number, out, settings) for number in made_parts(kb)]


@pytest.fixture(scope="module")
def vectors(models, kb):
    """The parts of both models in fp32."""
    for name in ("paragraphs", "prefix"):
        encode_all(models / name, kb, models / "vectors" / name, FP32)
    return models / "vectors"


def rows_of(kb):
    tables = (pq.read_table(open_part(kb, number).path) for number in made_parts(kb))
    return [row for table in tables for row in table.to_pylist()]


def store_of(kb, model, root):
    """What `muver stage encode` makes of the same entities: paragraphs are text and sentences."""
    rows = rows_of(kb)
    tables = {"entities": (ENTITIES, []), "mentions": (MENTIONS, []), "sentences": (SENTENCES, [])}
    for n, (identity, title, paragraphs) in enumerate(row.values() for row in rows):
        text = " ".join(paragraphs)
        tables["entities"][1].append(("wiki", n, identity, title, text, None))
        tables["sentences"][1].append(("wiki", n, paragraphs))
    tables["mentions"][1].append(("m", "test", "wiki", None, "left", "it", "right", 0, ""))
    for name, (schema, own) in tables.items():
        write_table(root / f"{name}.parquet", table_of(schema, zip(*own, strict=True)))
    files = [root / f"{name}.parquet" for name in tables]
    encode_split(model, *files, root / "store", tiny.settings(Encode, split="test"))
    return open_layer(root / "store", 0).world("wiki"), rows


@pytest.mark.parametrize("name", ["paragraphs", "prefix"])
def test_vectors_are_those_of_the_ordinary_store(vectors, models, kb, tmp_path, name):
    store, rows = store_of(kb, models / name, tmp_path)
    shards = Shards(vectors / name)
    assert shards.entities == len(rows) == 61 and shards.views == len(store.entities)
    assert shards.model == model_fingerprint(models / name)
    every = np.arange(shards.views)
    np.testing.assert_allclose(shards.gather(every), store.vectors, rtol=0, atol=1e-6)
    assert shards.gather(every).std(axis=0).min() > 0.01, "vectors of different texts differ"
    owners, places = shards.locate(every)
    assert np.array_equal(owners, store.entities)
    counts = np.bincount(owners)
    if name == "prefix":
        assert set(counts) == {1}
    else:
        assert counts.tolist() == [max(len(row["paragraphs"]), 1) for row in rows]
        assert counts.max() == 5 and np.array_equal(places[:-1], store.first[:-1])
    assert rows[-1]["title"] == BARE and rows[-1]["paragraphs"] == [] and counts[-1] == 1


@pytest.mark.parametrize("name", ["paragraphs", "prefix"])
def test_parts_apart_are_one_part(vectors, models, root, name, monkeypatch):
    whole = make_base(root, 1 << 27, "whole")
    assert made_parts(whole) == [0]
    monkeypatch.setattr(stage, "ENTITIES", 7)  # blocks that end elsewhere than the parts
    out = models / "whole_vectors" / name
    encode_part(models / name, whole, 0, out, FP32)
    one, many = Shards(out), Shards(vectors / name)
    every = np.arange(one.views)
    np.testing.assert_allclose(one.gather(every), many.gather(every), rtol=0, atol=1e-6)
    assert np.array_equal(one.locate(every), many.locate(every))


def test_half_precision_and_the_manifest(vectors, models, kb, tmp_path):
    encode_part(models / "paragraphs", kb, 1, tmp_path, FP16)
    half = np.load(tmp_path / "part-00001.npy")
    full = np.load(vectors / "paragraphs" / "part-00001.npy")
    assert half.dtype == np.float16 and full.dtype == np.float32
    assert np.array_equal(half, full.astype(np.float16))


def test_a_failed_write_leaves_no_part(models, kb, tmp_path, monkeypatch):
    full = OSError("16 requested and 8 written")  # as numpy says it
    monkeypatch.setattr(np, "save", Mock(side_effect=full))
    with pytest.raises(InputError, match="part-00000.npy.*16 requested"):
        encode_part(models / "prefix", kb, 0, tmp_path, FP32)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def spoilt(models, tmp_path):
    shutil.copytree(models / "prefix", tmp_path / "spoilt")
    return tmp_path / "spoilt"


def test_values_that_half_precision_cannot_hold(models, kb, encoder, tmp_path):
    import torch

    model = tiny.make_model(encoder, views=PREFIX)
    last = model.entity_encoder.encoder["layer"][-1].output.LayerNorm
    with torch.no_grad():
        last.bias[3] = 1e5
    model.save_pretrained(tmp_path / "model")
    with pytest.raises(InputError, match="Set dtype to fp32"):
        encode_part(tmp_path / "model", kb, 0, tmp_path / "out", FP16)
    assert not (tmp_path / "out").exists()
    encode_part(tmp_path / "model", kb, 0, tmp_path / "out", FP32)


def test_what_cannot_be_encoded(models, kb, spoilt, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(InputError, match="--part 99"):
        encode_part(spoilt, kb, 99, out, FP32)
    config = read_json(spoilt / "muver.json")
    write_json(spoilt / "muver.json", {**config, "metric": "l2"})
    with pytest.raises(InputError, match="metric 'l2'"):
        encode_part(spoilt, kb, 0, out, FP32)
    (spoilt / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="tokenizer.json: no such file"):
        encode_part(spoilt, kb, 0, out, FP32)
    assert not out.exists()


@pytest.fixture
def of_texts(encoder, tmp_path):
    """A model with the weights of "prefix" whose views are of texts from elsewhere."""
    views = {**PREFIX, "text": "blink_entities"}
    tiny.make_model(encoder, views=views).save_pretrained(tmp_path / "of_texts")
    return tmp_path / "of_texts"


def write_all_texts(kb, folder, texts):
    """Texts of a base, by Wikipedia id."""
    lines = [{"idx": f"x?curid={identity}", "text": text} for identity, text in texts.items()]
    source = folder.with_suffix(".jsonl")
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    settings = ReadTexts(bad_lines=100, bad_share=0.001, duplicates="refuse")
    write_texts(source, kb, folder, settings)
    return folder


def test_views_of_texts_from_elsewhere(vectors, models, of_texts, kb, tmp_path, monkeypatch):
    """With its paragraphs as text an entity's vector stays; without a text it is its title's."""
    rows = rows_of(kb)
    joined = {row["id"]: " ".join(row["paragraphs"]) for row in rows}
    changed = {**joined, rows[2]["id"]: "The tower.", rows[40]["id"]: ""}
    del changed[rows[0]["id"]]
    texts = write_all_texts(kb, tmp_path / "texts", changed)
    monkeypatch.setattr(stage, "ENTITIES", 7)
    out = tmp_path / "out"
    for number in made_parts(kb):
        encode_part(of_texts, kb, number, out, FP32, texts)
        assert not encode_part(of_texts, kb, number, out, FP32, texts)
    found, own = (Shards(folder) for folder in (out, vectors / "prefix"))
    assert found.views == found.entities == len(rows)
    every = np.arange(len(rows))
    found, own = found.gather(every), own.gather(every)
    others = np.setdiff1d(every, (0, 2, 40))
    np.testing.assert_allclose(found[others], own[others], rtol=0, atol=1e-6)
    tower = Encoder(models / "prefix", FP32)
    pieces = tower.model.pieces
    titles = [rows[number]["title"] for number in (0, 2, 40)]
    views = entity_views(titles, ["", "The tower.", ""], [[]] * 3, tiny.views(PREFIX), pieces)
    expected = tower.views([own[0].ids for own in views], None)
    np.testing.assert_allclose(found[[0, 2, 40]], expected, rtol=0, atol=1e-6)
    assert np.abs(found[[0, 2, 40]] - own[[0, 2, 40]]).max(axis=1).min() > 1e-3


def test_texts_that_are_missing_or_too_many(models, of_texts, kb, tmp_path):
    with pytest.raises(InputError, match="blink_entities text. --texts"):
        encode_part(of_texts, kb, 0, tmp_path / "out", FP32)
    texts = write_all_texts(kb, tmp_path / "texts", {rows_of(kb)[0]["id"]: "The bell."})
    with pytest.raises(InputError, match="no text. --texts"):
        encode_part(models / "prefix", kb, 0, tmp_path / "out", FP32, texts)
    assert not (tmp_path / "out").exists()
