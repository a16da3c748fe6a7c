"""The files of a world, and the steps on a small one."""

import csv
import json

import pytest

from benchmarks import settings

LONG = "x" * 2000


@pytest.fixture
def dataset(tmp_path):
    """Six pages; each has one link, to the page after it."""
    names = ["Smith", "Baker", "Дом", "दिल्ली", "词典", "Ash"]
    (tmp_path / "documents").mkdir()
    (tmp_path / "mentions").mkdir()
    pages = [
        {
            "document_id": f"p{n}",
            "title": name,
            "text": f"{name} knows {names[n - 5]} . " + "x" * 2000,
        }
        for n, name in enumerate(names)
    ]
    links = [
        {"text": names[n - 5], "start_index": 2, "end_index": 2, "context_document_id": f"p{n}",
         "label_document_id": f"p{(n + 1) % 6}", "corpus": "town", "mention_id": n, "category": ""}
        for n in range(6)
    ]  # fmt: skip
    for path, rows in (("documents/town", pages), ("mentions/val", links)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{path}.json").write_text(text)
    return tmp_path


def test_no_page_is_measured_and_labelled(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "MEASURED", 2)
    monkeypatch.setattr(settings, "LABELS", 3)
    settings.write_files(dataset, "town", tmp_path)
    rows = list(csv.DictReader((tmp_path / "dictionary.csv").open(newline="")))
    assert [row["id"] for row in rows] == [f"p{n}" for n in range(6)]
    assert {len(row["definition"]) for row in rows} == {settings.CHARACTERS}
    test, labels = (
        [json.loads(line) for line in (tmp_path / f"{name}.jsonl").open()]
        for name in ("test", "labels")
    )
    assert (len(test), len(labels)) == (2, 3)
    assert len({one["gold"] for one in test + labels}) == 5
    for one in test + labels:
        (row,) = (row for row in rows if row["id"] == one["gold"])
        assert row["term"] == one["mention"]


def test_the_steps_are_commands_and_their_recall_is_printed(dataset, monkeypatch, capsys):
    monkeypatch.setattr(settings, "MEASURED", 2)
    rows = settings.steps("encoder")[1:2]
    monkeypatch.setattr(settings, "steps", lambda *_: rows)
    given = ["--dataset", str(dataset), "--world", "town", "--encoder", "none"]
    assert settings.main(given) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == [f"| {name} | 100.0 | 100.0 | 100.0 |" for name, _ in rows]
