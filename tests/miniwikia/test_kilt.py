"""The encyclopedia in KILT's shape: its form, its bytes, and the counts that linking finds."""

import json

import pytest

from miniwikia import generate_kilt, kilt_writer
from miniwikia.settings import GenerateKilt
from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import read
from muver.retriever.corpus.knowledge_base import KnowledgeBase
from tests.commands import call
from tests.knowledge_base import READING, contents

LINKING = ["--settings", '{"context_tokens": 128, "match": "id_or_title"}']
SETTINGS = {
    "seed": 3,
    "entities": 230,
    "entities_per_world": 60,
    "mentions": {"aida-train": 120, "aida-testa": 7, "aida-testb": 40, "msnbc": 5, "wnedwiki": 40},
}


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kilt")
    generate_kilt(read(GenerateKilt, SETTINGS), folder)
    return folder


def test_equal_settings_give_equal_bytes_with_any_number_of_processes(raw, tmp_path):
    generate_kilt(read(GenerateKilt, SETTINGS), tmp_path / "two", workers=2)
    assert contents(tmp_path / "two") == contents(raw)
    generate_kilt(read(GenerateKilt, {**SETTINGS, "seed": 4}), tmp_path / "other")
    assert contents(tmp_path / "other")["msnbc.jsonl"] != contents(raw)["msnbc.jsonl"]


def test_linking_finds_what_was_made(raw, tmp_path):
    dump = ["--dump", raw / "kilt_knowledgesource.json", "--folder", tmp_path / "kb"]
    settings = ["--settings", json.dumps({**READING, "part_bytes": 50000})]
    call("kb", *dump, *settings)
    made = read_json(raw / "counts.json")
    total = {"id": 0, "title": 0, "none": 0}
    for name in SETTINGS["mentions"]:
        files = ["--path", raw / f"{name}.jsonl", "--kb", tmp_path / "kb"]
        out = ["--mentions", tmp_path / f"{name}.parquet", "--report", tmp_path / f"{name}.json"]
        call("link", "--name", name, *files, *out, *LINKING)
        report = read_json(tmp_path / f"{name}.json")
        assert report["matched"] == made["mentions"][name]
        assert report["other_title"] == 0
        total = {kind: total[kind] + count for kind, count in report["matched"].items()}
    assert total["title"] >= 3 and total["none"] >= 2 and total["id"] > 180
    assert len(KnowledgeBase(tmp_path / "kb")) == made["entities"] == 230


def test_worlds_that_share_a_title_are_make_distinct():
    titles = kilt_writer._Titles()
    assert titles.make_distinct(["Kora", "Rhea"], "a") == ["Kora", "Rhea"]
    assert titles.make_distinct(["Rhea", "Aba", "Zed"], "b") == ["Rhea of b", "Aba", "Zed"]
    assert titles.make_distinct(["Zed", "New"], "c") == ["Zed of c", "New"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"entities": 3}, "entities is 3: expected"),
        ({"mentions": {"../x": 3}}, "mentions: the name is '../x'"),
        ({"mentions": {"msnbc": 0}}, "mentions.msnbc is 0"),
        ({"mentions": {"msnbc": 99_999}}, "asked of world 'wiki00000', whose pages have"),
    ],
)
def test_wrong_settings(change, message, tmp_path):
    with pytest.raises(InputError, match=message):
        generate_kilt(read(GenerateKilt, {**SETTINGS, **change}), tmp_path)
    assert not (tmp_path / "kilt_knowledgesource.json").exists()
