"""Tables as data."""

import pytest

from muver.errors import InputError
from muver.tables import row_key
from muver.tables.build import build

ROWS = [{"method": "BM25", "system": "bm25"}, {"method": "MuVER", "system": "muver"}]


def test_table_1(evaluation):
    evaluations = [evaluation("muver", (4, 8), (0, 3)), evaluation("bm25", (1, 2), (1, 3))]
    table = build(1, ROWS, evaluations)
    assert [row["method"] for row in table["rows"]] == ["BM25", "MuVER"]
    assert (table["dataset"], table["mentions"], table["worlds"]) == (
        "tiny",
        11,
        ["lego", "yugioh"],
    )
    row = table["rows"][0]
    assert row["row_key"] == row_key({"system": "bm25", "seed": 1}, "f00d")
    assert row["hits"] == {"1": 2, "64": 5}
    assert row["micro"]["64"] == pytest.approx(500 / 11)
    assert row["macro"]["64"] == pytest.approx((25 + 100) / 2)
    assert row["interval"]["64"][0] < row["micro"]["64"] < row["interval"]["64"][1]
    assert row["worlds"]["lego"]["hits"] == {"1": 1, "64": 2}


def test_table_6_has_a_row_a_domain_and_method(evaluation):
    evaluations = [evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3))]
    table = build(6, ROWS, evaluations)
    assert [(row["domain"], row["method"]) for row in table["rows"]] == [
        ("lego", "BM25"), ("lego", "MuVER"), ("yugioh", "BM25"), ("yugioh", "MuVER"),
    ]  # fmt: skip
    assert table["rows"][1]["recall"] == {"1": 50.0, "64": 100.0}
    assert table["rows"][2]["mentions"] == 3


def test_paper_stands_beside_its_own_dataset_only(evaluation):
    made = [evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3))]
    table = build(1, ROWS, made)
    assert "tiny" in table["paper"]["note"]
    assert all(row["paper"] is row["difference"] is row["verdict"] is None for row in table["rows"])

    for part in made:
        part["dataset"] = "zeshel"
    table = build(1, ROWS, made)
    assert table["paper"]["note"] is None
    bm25, muver = table["rows"]
    assert bm25["paper"] == {"1": None, "64": 69.13}
    assert bm25["verdict"] == {"1": None, "64": "off"}
    assert muver["difference"]["1"] == pytest.approx(400 / 11 - 45.4)
    by_domain = build(6, ROWS, made)["rows"]
    assert by_domain[0]["paper"] is None  # the paper has no BM25 by domain
    assert by_domain[1]["difference"]["64"] == pytest.approx(100 - 93.74)


@pytest.mark.parametrize(
    ("key", "value"), [("dataset", "other"), ("fingerprint", "beef"), ("mentions", 12)]
)
def test_evaluations_of_different_data_are_refused(evaluation, key, value):
    made = [evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3), **{key: value})]
    with pytest.raises(InputError, match=f"of muver: {key} is {value}, .* from other parameters"):
        build(1, ROWS, made)


def test_evaluations_and_rows_must_match(evaluation):
    bm25, muver = evaluation("bm25", (1, 2), (1, 3)), evaluation("muver", (4, 8), (0, 3))
    with pytest.raises(InputError, match="no evaluation of muver was given"):
        build(1, ROWS, [bm25])
    with pytest.raises(InputError, match="evaluations of muver were given, which have no row"):
        build(1, ROWS[:1], [bm25, muver])
    with pytest.raises(InputError, match="two evaluations of bm25"):
        build(1, ROWS, [bm25, dict(bm25), muver])
    with pytest.raises(InputError, match="rows is empty"):
        build(1, [], [])
    with pytest.raises(InputError, match="3 is not one of 1, 6"):
        build(3, ROWS, [bm25, muver])
