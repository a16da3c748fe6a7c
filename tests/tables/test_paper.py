"""The paper's numbers as data."""

import pytest

from muver.tables.paper import difference, paper, published, verdict

CUTOFFS = [1, 2, 4, 8, 16, 32, 50, 64]
MENTIONS = {"forgotten_realms": 1200, "lego": 1199, "star_trek": 4227, "yugioh": 3374}


def test_every_row_has_a_value_a_column():
    for section in ("rows", "quoted"):
        for row in paper()["table1"][section].values():
            assert len(row["values"]) == len(paper()["columns"])
    for row in paper()["table6"]["rows"].values():
        assert row["values"].keys() == paper()["table6"]["domains"].keys()
        assert all(len(values) == len(CUTOFFS) for values in row["values"].values())


def test_values():
    assert published(1, "MuVER", CUTOFFS) == {
        "1": 45.4, "2": 60.84, "4": 71.26, "8": 78.27, "16": 83.19, "32": 87.58, "50": 89.75,
        "64": 90.84,
    }  # fmt: skip
    assert published(1, "BM25", [1, 64]) == {"1": None, "64": 69.13}
    assert published(6, "BLINK (128 tokens)", [64], "yugioh") == {"64": 77.71}


def test_what_the_paper_does_not_have():
    assert published(1, "New", [1]) is None
    assert published(6, "SOM", [1], "lego") is None
    assert published(6, "MuVER", [1], "atlantis") is None
    assert published(1, "MuVER", [1, 100]) == {"1": 45.4, "100": None}


@pytest.mark.parametrize("method", ["BLINK (128 tokens)", "MuVER"])
def test_table_6_adds_up_to_table_1(method: str):
    """A slip of the pen in one of 64 numbers would show here."""
    domains = paper()["table6"]["rows"][method]["values"]
    for column, total in enumerate(paper()["table1"]["rows"][method]["values"]):
        weighted = sum(values[column] * MENTIONS[name] for name, values in domains.items())
        assert weighted / 10_000 == pytest.approx(total, abs=0.02)


def test_difference_and_verdict():
    points = difference({"1": 45.0, "64": 90.0}, {"1": 45.4, "64": None})
    assert points == {"1": pytest.approx(-0.4), "64": None}
    assert [verdict(value) for value in (None, 0.5, -0.5, 0.51, -1.5, 1.51, 30.0)] == [
        None, "OK", "OK", "near", "near", "off", "off",
    ]  # fmt: skip
