"""Recall is counted in one way for all programs; those of packages that muver has find entities."""

import json

import pytest

from benchmarks import page
from benchmarks.peers import measure, read_world, recall
from benchmarks.programs import OURS, Mention

PAGES = {
    "smith": "Smith ( trade )", "baker": "Baker", "forge": "Forge of the old town",
    "oven": "Oven", "page": "A day in spring",
}  # fmt: skip
TEXT = "In spring the old smith met the baker ."


@pytest.fixture
def dataset(tmp_path):
    documents = [{"document_id": id, "title": title, "text": TEXT} for id, title in PAGES.items()]
    mentions = [
        {
            "text": "old smith", "start_index": 3, "end_index": 4, "label_document_id": "smith",
            "context_document_id": "page", "corpus": "town", "mention_id": "1", "category": "",
        },
    ]  # fmt: skip
    mentions.append(mentions[0] | {"corpus": "elsewhere"})
    for path, rows in (("documents/town", documents), ("mentions/val", mentions)):
        (tmp_path / path).parent.mkdir()
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / path).with_suffix(".json").write_text(lines)
    return tmp_path


def test_a_mention_is_read_with_the_words_around_it(dataset):
    entities, mentions = read_world(dataset, "town")
    assert [entity.id for entity in entities] == list(PAGES)
    assert mentions == [Mention("old smith", "In spring the", "met the baker .", "page", "smith")]


def test_ties_count_against_the_gold_and_its_page_does_not_count():
    mention = Mention("", "", "", page="page", gold="gold")
    found = [("page", 3.0), ("gold", 2.0), ("equal", 2.0), ("other", 1.0)]
    assert recall([found], [mention]) == [0, 100, 100, 100]
    assert recall([found[:2]], [mention]) == [100] * 4
    assert recall([found[2:]], [mention]) == [0] * 4
    assert recall([found], [mention._replace(page="gold", gold="page")]) == [100] * 4


def test_a_page_that_is_the_gold_itself_stays():
    mention = Mention("", "", "", page="gold", gold="gold")
    assert recall([[("gold", 1.0)]], [mention]) == [100] * 4


@pytest.mark.parametrize(
    "program", ["scispaCy's way, characters of names", "bm25s, mention in title and text"]
)
def test_a_program_finds_what_is_named_alike(program, dataset):
    found = measure(program, dataset, "town", "")
    assert found["recall"] == [100] * 4
    assert (found["entities"], found["mentions"]) == (5, 1)


def test_the_table_has_medians_and_how_many_times_ours(tmp_path):
    turn = {"entities": 500, "mentions": 100, "recall": [1.0, 2.0, 3.0, 4.0], "peak_mb": 1500.2}
    ours = [turn | {"make": make, "ask": 1.0} for make in (10.0, 1.0, 2.0)]
    other = [turn | {"make": 4.0, "ask": ask} for ask in (0.5, 0.25, 0.1)]
    record = {"rounds": {OURS: ours, "other": other}}
    heads, rows = page.compared(record)
    assert rows == [
        [OURS, "1.0", "2.0", "3.0", "4.0", "4 (1)", "100 (1)", "1,500"],
        ["other", "1.0", "2.0", "3.0", "4.0", "8 (2)", "400 (4)", "1,500"],
    ]
    assert len(heads) == len(rows[0])
    record |= {
        "seconds": "a clock's",
        "world": "town",
        "dataset": "made",
        "command": "python -m benchmarks peers",
    }
    (tmp_path / "peers-2026-01-01T000000-a.json").write_text(json.dumps(record))
    text = page.render(tmp_path)
    assert "100 mentions of town (made, 500 entities)" in text
    assert "| other | 1.0 | 2.0 | 3.0 | 4.0 | 8 (2) | 400 (4) | 1,500 |" in text
