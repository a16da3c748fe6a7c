"""Table 4: what the dataset holds."""

import json

import pytest

from muver.reproduction.tables.evaluations import TableFiles
from muver.reproduction.tables.records import Numbers
from muver.reproduction.tables.settings import Statistics
from muver.reproduction.tables.statistics import build, page

COUNTS = {
    "dataset": "tiny",
    "fingerprint": "f00d",
    "worlds": {
        "starwars": {"split": "train", "entities": 7, "mentions": 5, "without_text": 0},
        "muppets": {"split": "val", "entities": 4, "mentions": 2, "without_text": 1},
        "lego": {"split": "test", "entities": 3, "mentions": 2, "without_text": 0},
        "atlantis": {"split": "test", "entities": 6, "mentions": 0, "without_text": 0},
    },
    "mentions": {"train": 5, "val": 2, "test": 2},
    "entities": {"train": 7, "val": 4, "test": 9},
    "identified_as": None,
}
ZESHEL = {
    **COUNTS,
    "dataset": "mine",
    "identified_as": "zeshel",
    "mentions": {"train": 49275, "val": 10000, "test": 10000},
    "entities": {"train": 332632, "val": 89549, "test": 70139},
}


def table_of(folder, counts, **settings):
    path = folder / "counts.json"
    path.write_text(json.dumps(counts))
    return build("table4", "Statistics", Statistics(**settings), TableFiles(counts=path))


def test_rows_by_split(tmp_path):
    table = table_of(tmp_path, COUNTS)
    assert [(row.split, row.mentions, row.entities) for row in table.rows] == [
        ("train", 5, 7), ("val", 2, 4), ("test", 2, 9),
    ]  # fmt: skip
    assert table.rows[2].worlds == {"lego": Numbers(2, 3), "atlantis": Numbers(0, 6)}
    assert all(row.paper is None for row in table.rows)
    assert "made on tiny" in table.note


def test_the_papers_columns(tmp_path):
    main, worlds = page(table_of(tmp_path, COUNTS)).sections
    assert main.header == ["Dataset", "Split", "Mention Num", "KB", "Entity Num"]
    assert main.rows[0] == ["tiny", "train", "5", "tiny", "7"]
    assert worlds.rows[-1] == ["test", "atlantis", "0", "6"]
    assert worlds.note.endswith(
        "Without mentions, and so without a number in other tables: atlantis."
    )


def test_the_papers_numbers_on_its_dataset(tmp_path):
    table = table_of(tmp_path, ZESHEL)
    assert [row.kb for row in table.rows] == ["Wikia"] * 3
    beside = page(table).sections[1]
    assert beside.heading == "Against the paper"
    assert beside.rows[2] == ["mine", "test", "10000 (equal)", "70140 (not equal)"]


@pytest.mark.parametrize("counts", [COUNTS, ZESHEL])
def test_the_source_can_be_named(tmp_path, counts):
    table = table_of(tmp_path, counts, source="my wiki")
    assert {row.kb for row in table.rows} == {"my wiki"}
