"""JSON lines of entities with links."""

import json

import pytest

from muver.io.errors import InputError

SHIP = {"id": "1", "title": "Ship", "description": "A ship in a dock"}


def test_worlds(imported, written):
    lines = [
        SHIP | {"links": [{"start": 12, "end": 16, "target": "Dock"}]},
        {"id": "2", "title": "Dock", "description": "For ships", "world": "port"},
    ]
    path = written("sea.jsonl", "".join(json.dumps(one) + "\n" for one in lines))
    rows, _ = imported(path, form="linked")
    assert [(row["id"], row["world"]) for row in rows] == [("1", "sea"), ("2", "port")]


def test_links_become_mentions(imported, written, tmp_path):
    link = {"links": [{"start": 12, "end": 16, "target": "Docks"}]}
    lines = [
        one | {"world": world}
        for world in ("sea", "lake", "river")
        for one in (SHIP | link, {"id": "2", "title": "Docks", "description": "For ships"})
    ]
    path = written("all.jsonl", "".join(json.dumps(one) + "\n" for one in lines))
    mentions = {"mentions": {"val": ["lake"], "test": ["river"]}}
    _, counts = imported(path, form="linked", settings=mentions, mentions=tmp_path / "made")
    assert counts["dataset"]["mentions"] == {"train": 1, "val": 1, "test": 1}
    [line] = (tmp_path / "made" / "mentions" / "test.json").read_text().splitlines()
    assert json.loads(line)["text"] == "dock" and json.loads(line)["label_document_id"] == "2"


@pytest.mark.parametrize("spans", [[(0, 99)], [(5, 7), (1, 2)], [(0, 4), (2, 6)]])
def test_links_that_do_not_fit(imported, written, spans):
    links = [{"start": start, "end": end, "target": "x"} for start, end in spans]
    path = written("sea.jsonl", json.dumps(SHIP | {"links": links}) + "\n")
    with pytest.raises(InputError, match=r"sea.jsonl, line 1: its links overlap"):
        imported(path, form="linked")
