"""The entities that training needs, taken from a base: numbers, tables, counts."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from muver.cli import main
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.retriever.corpus.corpus_settings import ReadTexts, Subset
from muver.retriever.corpus.linking.subset import with_further, write_subset
from muver.retriever.corpus.parts import write_texts
from muver.retriever.corpus.schema import (
    read_entities,
    read_mentions,
    read_negatives,
    read_sentences,
)
from muver.retriever.corpus.texts import clean
from muver.retriever.retrieval.negatives import mine
from muver.retriever.retrieval.retrieval_settings import Mining
from tests.knowledge_base import PAGES, make_kb, write_linked, write_linked_run

PLAIN = Subset(further=0, seed=0)
SETTINGS = ["--settings", '{"further": 0, "seed": 0}']
TEXTS = ReadTexts(bad_lines=100, bad_share=0.001, duplicates="refuse")
RUN = {
    "train-0": [(6, 9.0), (2, 8.0), (0, 7.0)],
    "train-1": [(4, 3.0)],
    "train-2": [(0, 1.0)],
    "train-3": [(2, 2.0), (6, 1.0)],
}
FILES = ("entities", "mentions", "sentences")
PARAGRAPHS = {"kind": "sentences", "max_tokens": 24, "min_pieces": 1, "title_room": 4,
              "training_views": None}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A base, mentions to train and validate on, and negatives: 2, 4 and 6 of the base."""
    folder = tmp_path_factory.mktemp("linked")
    kb = make_kb(folder)
    training = write_linked(folder / "train.parquet", "train", [2, 4, None, 2])
    validation = write_linked(folder / "val.parquet", "val", [5, 2, None, None])
    run, _ = write_linked_run(folder, kb, training, RUN)
    out = (folder / "negatives.parquet", folder / "negatives.json")
    mine(run, training, *out, Mining(per_mention=2), kb)
    return kb, training, validation, out[0]


@pytest.fixture
def subset(files, tmp_path):
    """The files of a subset, written by the command."""
    names = ("kb", "train", "val", "negatives")
    options = [f"--{name}={path}" for name, path in zip(names, files, strict=True)]
    assert main(["stage", "kb-subset", *options, "--folder", str(tmp_path), *SETTINGS]) == 0
    return tmp_path


def test_entities_are_numbered_anew_in_the_base_s_order(subset):
    """Golds 2, 4, 5; negatives 6, 0 of the first, none of the second, 6 of the fourth."""
    assert read_negatives(subset / "negatives.parquet").to_pylist() == [
        {"mention_id": "train-0", "negatives": [4, 0], "ranks": [1, 3], "scores": [9.0, 7.0]},
        {"mention_id": "train-1", "negatives": [], "ranks": [], "scores": []},
        {"mention_id": "train-3", "negatives": [4], "ranks": [2], "scores": [1.0]},
    ]
    rows = read_entities(subset / "entities.parquet", ["wikipedia"]).to_pylist()
    assert [row["entity"] for row in rows] == [0, 1, 2, 3, 4]
    assert [row["document_id"] for row in rows] == ["100", "102", "104", "105", "106"]
    assert [row["title"] for row in rows] == ["Paris", "Rome", "Bern", "Lima", "Cairo"]
    assert rows[0]["text"] == "Paris is a town .\nIt has a river and a tower."
    assert {row["type"] for row in rows} == {None}


def test_mentions_of_both_splits(subset):
    for split, golds in (("train", [("0", 1), ("1", 2), ("3", 1)]), ("val", [("0", 3), ("1", 1)])):
        table = read_mentions(subset / "mentions.parquet", split)
        assert table["mention_id"].to_pylist() == [f"{split}-{n}" for n, _ in golds]
        assert table["gold"].to_pylist() == [gold for _, gold in golds]
        assert set(table["world"].to_pylist()) == {"wikipedia"}
        assert table["context_right"][0].as_py() == "in winter 0"


def test_sentences_are_the_paragraphs(subset):
    texts = read_entities(subset / "entities.parquet")["text"].to_pylist()
    rows = read_sentences(subset / "sentences.parquet").to_pylist()
    for row, number, text in zip(rows, [0, 2, 4, 5, 6], texts, strict=True):
        assert row["sentences"] == [clean(paragraph) for paragraph in PAGES[number][1]]
        assert text == "\n".join(PAGES[number][1])
    assert rows[1]["sentences"][1] == "A bell , rung twice."


def test_counts(subset):
    counts = read_json(subset / "counts.json")
    assert counts.pop("fingerprint") == counts_of(subset)["fingerprint"]
    assert counts == {
        "dataset": "wikipedia",
        "worlds": {
            "wikipedia": {"split": "train", "entities": 5, "mentions": 5, "without_text": 1}
        },
        "mentions": {"train": 3, "val": 2, "test": 0},
        "entities": {"train": 5, "val": 5, "test": 0},
        "identified_as": None,
    }
    manifest = read_json(subset / "manifest.json")
    assert manifest["counts"] == {
        "entities": 5,
        "further": 0,
        "mentions": {"train": 3, "val": 2, "test": 0},
        "gold_outside": {"train": 1, "val": 2},
    }
    assert set(manifest["inputs"]) == {"kb", "train", "val", "negatives"}


def counts_of(folder):
    return read_json(folder / "counts.json")


def test_without_negatives_and_with_further_entities(files, tmp_path):
    plain, more, all_of_it = (tmp_path / name for name in ("plain", "more", "all"))
    write_subset(*files[:3], None, plain, PLAIN)
    ids = read_entities(plain / "entities.parquet")["document_id"].to_pylist()
    assert ids == ["102", "104", "105"]
    assert not read_negatives(plain / "negatives.parquet").num_rows
    write_subset(*files[:3], None, more, Subset(further=2, seed=1))
    found = read_json(more / "manifest.json")["counts"]
    assert (found["entities"], found["further"]) == (5, 2)
    assert set(ids) < set(read_entities(more / "entities.parquet")["document_id"].to_pylist())
    write_subset(*files[:3], None, all_of_it, Subset(further=100, seed=0))
    found = read_json(all_of_it / "manifest.json")["counts"]
    assert (found["entities"], found["further"]) == (8, 5)
    assert len({counts_of(one)["fingerprint"] for one in (plain, more, all_of_it)}) == 3


def test_further_entities_are_drawn_evenly():
    needed = np.array([1, 4])
    drawn = [with_further(needed, 6, 1, seed).tolist() for seed in range(400)]
    counts = [sum(number in numbers for numbers in drawn) for number in range(6)]
    assert counts[1] == counts[4] == 400
    assert all(60 <= counts[number] <= 140 for number in (0, 2, 3, 5))  # 100 expected


def test_texts_from_elsewhere_take_the_place_of_paragraphs(files, tmp_path):
    """Golds are 2, 4, 5 of the base; 4 has no line, and 5, which has no paragraphs, has a text."""
    lines = [{"idx": 102, "text": " Rome, of old. "}, {"idx": 105, "text": "Lima."}]
    source = tmp_path / "entity.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_texts(source, files[0], tmp_path / "texts", TEXTS)
    names = ("kb", "train", "val", "texts")
    inputs = (*files[:3], tmp_path / "texts")
    options = [f"--{name}={path}" for name, path in zip(names, inputs, strict=True)]
    assert main(["stage", "kb-subset", *options, "--folder", str(tmp_path / "out"), *SETTINGS]) == 0
    rows = read_entities(tmp_path / "out/entities.parquet").to_pylist()
    assert [row["text"] for row in rows] == ["Rome, of old.", "", "Lima."]
    sentences = read_sentences(tmp_path / "out/sentences.parquet")["sentences"].to_pylist()
    assert sentences == [["Rome, of old."], [], ["Lima."]]
    assert counts_of(tmp_path / "out")["worlds"]["wikipedia"]["without_text"] == 1
    manifest = read_json(tmp_path / "out/manifest.json")
    assert manifest["inputs"]["texts"] == read_json(tmp_path / "texts/manifest.json")["fingerprint"]


def test_a_few_entities_at_a_time_give_the_same_rows(files, subset, tmp_path_factory, monkeypatch):
    out = tmp_path_factory.mktemp("out")
    monkeypatch.setattr("muver.retriever.corpus.linking.subset.ENTITIES_AT_ONCE", 2)
    write_subset(*files, out, PLAIN)
    for name in ("entities", "sentences"):
        assert pq.read_table(out / f"{name}.parquet") == pq.read_table(subset / f"{name}.parquet")


def test_a_set_without_any_gold(files, tmp_path):
    kb, training, _, negatives = files
    nobody = write_linked(tmp_path / "nobody.parquet", "val", [None])
    with pytest.raises(InputError, match="nobody.parquet"):
        write_subset(kb, training, nobody, negatives, tmp_path / "out", PLAIN)
    assert not (tmp_path / "out").exists()
