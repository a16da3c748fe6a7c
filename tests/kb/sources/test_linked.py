"""JSON lines of entities with links."""

import json

import pytest

from muver.io.errors import InputError

SHIP = {"id": "1", "title": "Ship", "description": "A ship in a dock"}


def test_links_are_kept_for_mentions(imported, written, tmp_path):
    lines = [
        SHIP | {"links": [{"start": 12, "end": 16, "target": "Dock"}]},
        {"id": "2", "title": "Dock", "description": "For ships", "world": "port"},
    ]
    path = written("sea.jsonl", "".join(json.dumps(one) + "\n" for one in lines))
    rows, counts = imported(path, form="linked")
    assert [(row["id"], row["world"]) for row in rows] == [("1", "sea"), ("2", "port")]


@pytest.mark.parametrize("spans", [[(0, 99)], [(5, 7), (1, 2)], [(0, 4), (2, 6)]])
def test_links_that_do_not_fit(imported, written, spans):
    links = [{"start": start, "end": end, "target": "x"} for start, end in spans]
    path = written("sea.jsonl", json.dumps(SHIP | {"links": links}) + "\n")
    with pytest.raises(InputError, match=r"sea.jsonl, line 1: its links overlap"):
        imported(path, form="linked")
