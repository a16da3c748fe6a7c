"""The paper's numbers as data."""

import pytest

from muver.corpus.sources import find_source
from muver.tables.paper import (
    comparability,
    linked_sets,
    linked_size,
    paper,
    published,
    published_views,
)

CUTOFFS = [1, 2, 4, 8, 16, 32, 50, 64]
MENTIONS = {"forgotten_realms": 1200, "lego": 1199, "star_trek": 4227, "yugioh": 3374}


def test_every_row_has_a_value_a_column():
    table = paper()["table1"]
    for row in [*table["rows"].values(), *table["quoted"].values()]:
        assert len(row["values"]) == len(row.get("readme", row["values"])) == len(CUTOFFS)
    for row in paper()["table6"]["rows"].values():
        assert row["values"].keys() == paper()["table6"]["domains"].keys()
        assert all(len(values) == len(CUTOFFS) for values in row["values"].values())
    for row in paper()["table2"]["rows"].values():
        assert [one["column"] for one in linked_sets().values()] == list(row["values"])
        assert all(len(values) == 3 for values in row["values"].values())


def test_values():
    assert published("table1", "MuVER", CUTOFFS) == {
        "1": 45.4, "2": 60.84, "4": 71.26, "8": 78.27, "16": 83.19, "32": 87.58, "50": 89.75,
        "64": 90.84,
    }  # fmt: skip
    assert published("table1", "BM25", [1, 64]) == {"1": None, "64": 69.13}
    assert published("table1", "Partalidou et al.", [50, 64]) == {"50": 84.28, "64": None}
    assert published("table6", "BLINK (128 tokens)", [64], "yugioh") == {"64": 77.71}
    assert published("table2", "MuVER", [10, 30, 64, 100], "AIDA-b") == {
        "10": 94.53, "30": 95.25, "64": None, "100": 98.11,
    }  # fmt: skip


def test_sizes_of_the_linked_sets_are_those_that_the_sources_declare():
    declared = find_source("blink_benchmarks").published.mentions
    entities = find_source("kilt").published.entities["wikipedia"]
    for name in linked_sets():
        assert linked_size(name) == {"mentions": declared[name], "entities": entities}
    assert linked_size("aida-testa") is None


def test_the_readme_is_a_second_reference():
    plain, merged = "MuVER (w/o heuristic search)", "MuVER"
    assert published("table1", merged, [2, 64], source="readme") == {"2": 61.09, "64": 90.84}
    for ours, released in (
        (plain, "MuVER (released weights, w/o heuristic search)"),
        (merged, "MuVER (released weights)"),
    ):
        for source in ("values", "readme"):
            assert published("table1", released, CUTOFFS, source=source) == published(
                "table1", ours, CUTOFFS, source=source
            )
    assert published("table1", "BM25", [64], source="readme") is None


def test_what_is_not_published():
    assert published("table1", "New", [1]) is None
    assert published("table6", "SOM", [1], "lego") is None
    assert published("table6", "MuVER", [1], "atlantis") is None
    assert published("beyond", "MuVER", [1]) is None
    assert published("mine", "MuVER", [1]) is None
    assert published("table1", "MuVER", [1, 100]) == {"1": 45.4, "100": None}


@pytest.mark.parametrize("method", ["BLINK (128 tokens)", "MuVER"])
def test_table_6_adds_up_to_table_1(method: str):
    """A slip of the pen in one of 64 numbers would show here."""
    domains = paper()["table6"]["rows"][method]["values"]
    for column, total in enumerate(paper()["table1"]["rows"][method]["values"]):
        weighted = sum(values[column] * MENTIONS[name] for name, values in domains.items())
        assert weighted / 10_000 == pytest.approx(total, abs=0.02)


def test_table_3_agrees_with_table_1():
    for method, row in paper()["table3"]["rows"].items():
        assert published("table1", method, [64]) == {"64": row["recall"]}
    assert paper()["table3"]["merged"]["MuVER"][-1]["distant"] == 90.84


@pytest.mark.parametrize(
    ("method", "search", "views", "expected"),
    [
        ("SOM", None, 101.5, (128, 87.62)),  # without merging the method decides
        ("MuVER (w/o heuristic search)", None, None, (15.33, 89.52)),
        ("MuVER", "distant", 21.2, (21.07, 90.15)),
        ("MuVER", "close", 21.2, (21.07, 89.95)),
        ("MuVER", "distant", 32.48, (32.48, 90.84)),
    ],
)
def test_table_3_by_number_of_views(method, search, views, expected):
    row = published_views(method, search, views)
    assert (row["views"], row["recall"]) == expected


@pytest.mark.parametrize(
    ("method", "search", "views"),
    [
        ("MuVER", "distant", 21.29),  # further than one per cent from 21.07
        ("MuVER", "distant", None),
        ("MuVER", None, 15.33),
        ("New", "close", 21.07),
    ],
)
def test_table_3_has_no_counterpart(method, search, views):
    assert published_views(method, search, views) is None


def test_figure_2_quotes_error_rates():
    errors = {name: row["errors"] for name, row in paper()["figure2"]["rows"].items()}
    assert errors == {
        "BLINK (128 tokens)": {"5-10": 7.79, "75-80": 39.91},
        "MuVER": {"5-10": 6.78, "75-80": 17.65},
    }


def test_a_table_says_why_it_is_not_compared():
    assert comparability("table1", "zeshel") is None
    assert "zeshel; this table is made on tiny" in comparability("table1", "tiny")
    assert comparability("beyond", "tiny") is None  # nothing published to miss
