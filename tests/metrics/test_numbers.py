"""Numbers by row, from each form of table."""

import pytest

from muver.io.errors import InputError
from muver.metrics.numbers import numbers_of


def test_a_table_of_rows_has_recall_at_its_cutoffs():
    row = {"system": "muver", "sets": {"test": {"micro": {"1": 7.25, "64": 57.75}}}}
    assert numbers_of({"kind": "comparison", "kb": None, "cutoffs": [1, 64], "rows": [row]}) == {
        "muver": {"R@01": 7.25, "R@64": 57.75}
    }


def test_a_table_of_views_has_its_cutoff_and_the_views_of_rows_that_have_any():
    rows = [
        {"system": "som", "search": None, "views_per_entity": None, "micro": {"1": 1, "64": 60.5}},
        {"system": "d1", "search": "distant", "views_per_entity": 17.5, "micro": {"64": 59}},
    ]
    assert numbers_of({"kind": "views", "cutoff": 64, "cutoffs": [1, 64], "rows": rows}) == {
        "som": {"R@64": 60.5},
        "d1": {"R@64": 59, "views": 17.5},
    }


def test_domains_stand_in_one_file_a_row():
    rows = [
        {"system": system, "domain": domain, "recall": {"1": 0.0, "64": recall}}
        for domain, system, recall in (
            ("lego", "a", 10.0),
            ("lego", "b", 20.0),
            ("mean", "a", 30.0),
        )
    ]
    assert numbers_of({"kind": "domains", "cutoffs": [1, 64], "rows": rows}) == {
        "a": {"R@64 lego": 10.0, "R@64 mean": 30.0},
        "b": {"R@64 lego": 20.0},
    }


def test_sets_stand_in_one_file_a_row():
    sets = {
        "msnbc": {"micro": {"10": 90.5, "100": 95.0}},
        "wnedwiki": {"micro": {"10": 1.0, "100": 2.0}},
    }
    rows = [{"system": "blink", "sets": sets}]
    head = {"kind": "comparison", "kb": {"entities": 9}, "cutoffs": [10, 100]}
    assert numbers_of({**head, "rows": rows}) == {
        "blink": {
            "R@010 msnbc": 90.5, "R@100 msnbc": 95.0, "R@010 wnedwiki": 1.0, "R@100 wnedwiki": 2.0,
        }
    }  # fmt: skip


def test_points_of_the_grid_have_validation_recall_and_step():
    row = {"system": "lr1", "recall": 37.0, "step": 126}
    assert numbers_of({"kind": "grid", "cutoff": 16, "rows": [row]}) == {
        "lr1": {"R@16 validation": 37.0, "step": 126}
    }


def test_a_table_without_recall_is_refused():
    with pytest.raises(InputError, match="table5: its rows have no recall"):
        numbers_of({"name": "table5", "rows": [{"system": "x", "parameters": 3}]})
