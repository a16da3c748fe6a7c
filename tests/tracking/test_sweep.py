"""Rows of a sweep under their parent."""

from pathlib import Path
from typing import Any

from muver.tracking.entry import Entry
from muver.tracking.sweep import above_layers


def entry(key: str, model: str, layers: int) -> Entry:
    parameters = {"model.kind": model, "retrieve.merge_layers": str(layers)}
    tags = {"method": "MuVER", "system": key, "dataset": "tiny", "verdict_at_64": "near"}
    return Entry(key, "MuVER", tags, {}, parameters, "", "results/table3.csv")


def row(layers: int, search: str | None, recall: float, system: str = "one") -> dict[str, Any]:
    return {
        "method": "MuVER",
        "system": system,
        "search": search,
        "searched": search and f"{search} pairs",
        "start": search and "plain",
        "merge_layers": layers,
        "micro": {"64": recall},
        "views_per_entity": 10.0 + layers,
    }


ROWS = [
    row(0, None, 50.0, "blink"), row(0, None, 60.0, "plain"),
    row(1, "distant", 61.0), row(2, "distant", 62.0),
]  # fmt: skip
ENTRIES = [
    entry("blink", "prefix", 0), entry("plain", "views", 0),
    entry("one", "views", 1), entry("two", "views", 2),
]  # fmt: skip


def test_layers_stand_under_a_parent_whose_curve_starts_at_the_unmerged_row():
    figure = Path("table3.svg")
    blink, plain, parent = above_layers(ROWS, ENTRIES, [64], [figure])
    assert (blink, plain) == tuple(ENTRIES[:2])
    assert parent.name == "MuVER, distant pairs"
    assert [child.name for child in parent.children] == [
        "MuVER, distant pairs, 1 layer", "MuVER, distant pairs, 2 layers"
    ]  # fmt: skip
    curve = [(step, value) for name, step, value in parent.curves if name == "recall_at_64"]
    assert curve == [(0, 60.0), (1, 61.0), (2, 62.0)]
    assert parent.final() == {"recall_at_64": 62.0, "views_per_entity": 12.0}
    assert parent.parameters == {"model.kind": "views"}
    assert (parent.tags["dataset"], parent.tags["role"]) == ("tiny", "parent")
    assert "system" not in parent.tags and "verdict_at_64" not in parent.tags
    assert parent.files == [(figure, "figures")]
    assert "| 2 layers | 12.00 | 62.00 |" in parent.note


def test_each_search_has_a_parent_and_another_set_of_layers_another_key():
    rows = [*ROWS, row(1, "close", 55.0)]
    found = above_layers(rows, [*ENTRIES, entry("close", "views", 1)], [64])
    assert [one.name for one in found[2:]] == ["MuVER, distant pairs", "MuVER, close pairs"]
    fewer = above_layers(ROWS[:3], ENTRIES[:3], [64])[2]
    assert len({fewer.key, found[2].key, found[3].key}) == 3
