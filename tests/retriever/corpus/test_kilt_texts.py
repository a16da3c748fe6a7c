"""Texts in the order of a base's entities: found by id, counted, refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of
from muver.retriever.corpus.corpus_settings import ReadTexts
from muver.retriever.corpus.knowledge_base import KnowledgeBase, open_part
from muver.retriever.corpus.parts import write_texts
from tests.knowledge_base import PAGES, made_parts, make_kb

SETTINGS = ReadTexts(bad_lines=100, bad_share=0.001, duplicates="refuse")


def line(identity: int, text: str) -> str:
    idx = f"https://en.wikipedia.org/wiki?curid={identity}"
    return json.dumps({"text": f" {text} ", "idx": idx, "title": "T", "entity": "T"}) + "\n"


# Entities 0 to 7 have the ids 100 to 107; 103 has no line, 105 an empty text, 7 and 8 no entity.
LINES = [
    line(107, "Quito."), line(7, "x"), line(100, "Paris, a town."), line(102, "Rome."),
    line(105, ""), line(101, "paris."), line(8, "y"), line(106, "Cairo, \u00fc."),
    line(104, "Bern."),
]  # fmt: skip
TEXTS = [["Paris, a town."], ["paris."], ["Rome."], [], ["Bern."], [], ["Cairo, ü."], ["Quito."]]


@pytest.fixture(scope="module")
def kb(tmp_path_factory) -> Path:
    """Several parts."""
    folder = make_kb(tmp_path_factory.mktemp("base"))
    assert len(read_json(folder / "manifest.json")["parts"]) > 1
    return folder


@pytest.fixture
def entities(tmp_path) -> Path:
    path = tmp_path / "entity.jsonl"
    path.write_text("".join(LINES))
    return path


def test_each_entity_has_the_text_of_its_id(kb, entities, tmp_path):
    counts = write_texts(entities, kb, tmp_path / "texts", SETTINGS)
    base = read_json(kb / "manifest.json")
    texts = KnowledgeBase(tmp_path / "texts")
    assert texts.rows(np.arange(8))["paragraphs"].to_pylist() == TEXTS
    assert texts.titles(np.arange(8)) == [title for title, _ in PAGES]
    expected = {"found": 7, "empty": 1, "missing": 1, "unknown": 2, "again": 0, "bad": {}}
    assert counts == expected
    manifest = texts.manifest
    assert {key: manifest[key] for key in counts} == counts
    assert manifest["inputs"] == {"kb": base["fingerprint"], "source": sha256_of(entities)}
    for number, told in zip(made_parts(kb), manifest["parts"], strict=True):
        ours, theirs = open_part(texts.folder, number), open_part(kb, number)
        assert told["fingerprint"] == sha256_of(ours.path) and ours.entities == theirs.entities
        assert ours.segments == ours.entities


def test_the_order_of_the_file_and_a_second_run_change_nothing(kb, entities, tmp_path):
    write_texts(entities, kb, tmp_path / "one", SETTINGS)
    entities.write_text("".join(reversed(LINES)))
    for _ in range(2):
        write_texts(entities, kb, tmp_path / "two", SETTINGS)
    assert len(list((tmp_path / "one").glob("*.parquet"))) > 1
    for path in (tmp_path / "one").glob("*.parquet"):
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_what_is_wrong_with_lines_is_counted(kb, entities, tmp_path):
    text = "".join([LINES[0], "no JSON\n", *LINES[1:], line(100, "again"), LINES[3][:20]])
    entities.write_text(text)
    counts = write_texts(entities, kb, tmp_path / "texts", replace(SETTINGS, duplicates="first"))
    (bad,) = counts["bad"].values()
    assert bad["count"] == 2 and bad["first"][0].startswith("line 2: ")
    assert counts["again"] == 1
    assert KnowledgeBase(tmp_path / "texts").rows([0])["paragraphs"].to_pylist() == TEXTS[:1]


@pytest.mark.parametrize(
    "text, changes, message",
    [
        ("".join(LINES) + LINES[2], {}, "entity.jsonl: 1 .* 100"),
        ("x\n" + LINES[0], {"bad_lines": 0, "bad_share": 0}, "line 1"),
        (line(7, "x"), {}, "entity.jsonl: no text"),
        ("", {}, "entity.jsonl: no text"),
        ("".join(LINES), {"expected": "blink_entities"}, "5903527"),
    ],
)
def test_what_is_refused_leaves_nothing(kb, entities, tmp_path, text, changes, message):
    entities.write_text(text)
    with pytest.raises(InputError, match=message):
        write_texts(entities, kb, tmp_path / "texts", replace(SETTINGS, **changes))
    assert not (tmp_path / "texts").exists()
