"""Sentences with their spans, as the released system splits, for whole tables."""

import pyarrow as pa
import pytest

from muver.io.errors import InputError
from muver.io.files import read_json, write_json
from muver.io.parquet import write_table
from muver.retriever.corpus.schema import ENTITIES, read_sentences
from muver.retriever.views import punkt
from muver.retriever.views.segment import segment
from muver.retriever.views.views_settings import Segment


@pytest.fixture
def corpus(tmp_path):
    texts = {
        "a": ["They met prof. Stone . It rained .", "Then prof. Reed left the mill . He slept ."]
        + ["We saw prof. Stone there . It was late . He and a prof. of law slept ."] * 4,
        "b": ["", "They met prof. Stone . It rained ."],
    }
    rows = [
        {"world": world, "entity": number, "document_id": f"D{number}", "title": "T", "text": text}
        for world, its_texts in texts.items()
        for number, text in enumerate(its_texts)
    ]
    write_table(tmp_path / "entities.parquet", pa.Table.from_pylist(rows, ENTITIES))
    worlds = {"a": {"split": "train"}, "b": {"split": "test"}}
    write_json(tmp_path / "counts.json", {"worlds": worlds})
    return tmp_path / "entities.parquet", tmp_path / "counts.json"


def test_trained_on_the_training_worlds(corpus, tmp_path):
    out = tmp_path / "segment"
    segment(*corpus, out, Segment(punkt="train"))
    table = read_sentences(out / "sentences.parquet")
    assert table["world"].to_pylist() == ["a"] * 6 + ["b"] * 2
    assert table["entity"].to_pylist() == [0, 1, 2, 3, 4, 5, 0, 1]
    first, second = read_sentences(out / "sentences.parquet", ["b"]).to_pylist()
    assert first["sentences"] == []
    assert second["sentences"] == ["They met prof. Stone.", "It rained."]
    manifest = read_json(out / "manifest.json")
    assert manifest["punkt"] == {
        "parameters": "train",
        "worlds": ["a"],
        "sha256": punkt.fingerprint(out / "punkt"),
    }
    assert manifest["sentences"] == {"a": 16, "b": 2}


def test_english_parameters(corpus, english, tmp_path):
    out = tmp_path / "segment"
    segment(*corpus, out, Segment(punkt="english"), english)
    second = read_sentences(out / "sentences.parquet", ["b"]).to_pylist()[1]
    assert second["sentences"] == ["They met prof.", "Stone.", "It rained."]
    assert (out / "punkt" / "abbrev_types.txt").read_text() == "dr\nmr\n"
    manifest = read_json(out / "manifest.json")
    assert manifest["punkt"]["parameters"] == "english"
    assert manifest["punkt"]["worlds"] is None


def test_by_the_rules_of_unicode(corpus, tmp_path):
    out = tmp_path / "segment"
    segment(*corpus, out, Segment(punkt="english", by="unicode"))
    second = read_sentences(out / "sentences.parquet", ["b"]).to_pylist()[1]
    assert second["sentences"] == ["They met prof. Stone.", "It rained."]
    assert read_json(out / "manifest.json")["punkt"]["parameters"] == "unicode"


def test_english_without_a_folder(corpus, tmp_path):
    with pytest.raises(InputError, match="--english is missing"):
        segment(*corpus, tmp_path / "segment", Segment(punkt="english"))
