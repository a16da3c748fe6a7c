"""The grid's points: how many, in what order, under which names, and what is refused."""

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.grid.points import HYPERPARAMETERS, name_of, points, spelled
from muver.io.errors import InputError

PAPER = {
    "learning_rate": [5e-6, 1e-5, 2e-5, 5e-5],
    "weight_decay": [0.1, 0.01, 0.001],
    "warmup": [0, 0.1],
    "batch_size": [32, 64, 128, 196],
}


def test_the_papers_grid():
    found = points(PAPER)
    assert len(found) == 96
    names = list(found)
    assert names[:2] == ["lr5e-06_wd0.1_wu0_bs32", "lr5e-06_wd0.1_wu0_bs64"]
    assert names[-1] == "lr5e-05_wd0.001_wu0.1_bs196"
    assert found["lr1e-05_wd0.01_wu0.1_bs128"] == {
        "learning_rate": 1e-5, "weight_decay": 0.01, "warmup": 0.1, "batch_size": 128
    }  # fmt: skip


def test_equal_values_spelled_otherwise_are_the_same_point():
    whole = points({**PAPER, "warmup": [0]})
    assert repr(whole) == repr(points({**PAPER, "warmup": [0.0]}))


def test_a_subset_by_name_keeps_the_grids_order():
    subset = ["lr5e-05_wd0.1_wu0_bs32", "lr5e-06_wd0.1_wu0.1_bs64"]
    assert list(points({**PAPER, "subset": subset})) == subset[::-1]
    with pytest.raises(InputError, match="'lr5e-05_wd0.1_wu0_bs33' is not a point .*_bs32'"):
        points({**PAPER, "subset": ["lr5e-05_wd0.1_wu0_bs33"]})
    with pytest.raises(InputError, match=r"grid\.subset: expected a list"):
        points({**PAPER, "subset": []})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("learning_rate", 0),
        ("learning_rate", -1e-5),
        ("learning_rate", float("nan")),
        ("learning_rate", float("inf")),
        ("learning_rate", "1e-5"),
        ("weight_decay", -0.1),
        ("weight_decay", None),
        ("warmup", 1),
        ("warmup", -0.1),
        ("batch_size", 0),
        ("batch_size", 32.5),
        ("batch_size", 32.0),
        ("batch_size", True),
    ],
)
def test_a_value_out_of_range_is_refused(key: str, value: Any):
    with pytest.raises(
        InputError, match=rf"^grid\.{key}: expected .*, not {re.escape(repr(value))}"
    ):
        points({**PAPER, key: [PAPER[key][0], value]})


@pytest.mark.parametrize("value", [[], None, 0.1, (0.1,)])
def test_no_list_of_values_is_refused(value: Any):
    with pytest.raises(InputError, match=r"grid\.warmup: expected a list of at least one value"):
        points({**PAPER, "warmup": value})


def test_a_value_twice_is_refused():
    with pytest.raises(InputError, match=r"grid\.warmup: 0 stands there twice"):
        points({**PAPER, "warmup": [0, 0.1, 0.0]})


rates = st.floats(min_value=0, exclude_min=True, allow_infinity=False)
decays = st.floats(min_value=0, allow_infinity=False)
warmups = st.floats(min_value=0, max_value=1, exclude_max=True)
sizes = st.integers(min_value=1)


def lists(values: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(values, min_size=1, max_size=4, unique=True)


@given(lists(rates), lists(decays), lists(warmups), lists(sizes))
def test_the_cross_product_with_a_name_for_each(
    learning_rates: list[float], weight_decays: list[float], warmup: list[float], batch: list[int]
):
    values = (learning_rates, weight_decays, warmup, batch)
    found = points(dict(zip(HYPERPARAMETERS, values, strict=True)))
    assert len(found) == math.prod(map(len, values))
    for name, point in found.items():
        assert name_of(point) == name
        assert re.fullmatch(r"[a-z0-9._+-]+", name)


@given(rates)
def test_spelling_tells_every_value_from_the_others(value: float):
    assert float(spelled(value)) == value
