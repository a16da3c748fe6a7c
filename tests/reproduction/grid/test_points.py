"""The grid's points: how many, in what order, under which names, and what is refused."""

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muver.io.errors import InputError
from muver.io.typed import read
from muver.reproduction.tables.tables_settings import HYPERPARAMETERS, Grid, name_of, trials

PAPER = {
    "learning_rate": [5e-6, 1e-5, 2e-5, 5e-5],
    "weight_decay": [0.1, 0.01, 0.001],
    "warmup": [0, 0.1],
    "batch_size": [32, 64, 128, 196],
}


def points(lists: dict[str, Any]) -> dict[str, dict[str, float | int]]:
    """The points of a grid by their names."""
    found = read(Grid, {"models": ["muver"], **lists}).points()
    return {name_of(point): point for point in found}


def test_the_papers_grid():
    found = points(PAPER)
    assert len(found) == 96
    names = list(found)
    assert names[:2] == ["lr5e-06_wd0.1_wu0_bs32", "lr5e-06_wd0.1_wu0_bs64"]
    assert names[-1] == "lr5e-05_wd0.001_wu0.1_bs196"
    assert found["lr1e-05_wd0.01_wu0.1_bs128"] == {
        "learning_rate": 1e-5, "weight_decay": 0.01, "warmup": 0.1, "batch_size": 128
    }  # fmt: skip


def test_further_hyperparameters_stand_behind_in_the_names():
    (name,) = points({**{key: values[:1] for key, values in PAPER.items()}, "epochs": [2]})
    assert name == "lr5e-06_wd0.1_wu0_bs32_ep2"
    found = points({**PAPER, "initial_scale": [5, 20]})
    assert len(found) == 192 and list(found)[1] == "lr5e-06_wd0.1_wu0_bs32_is20"


def test_every_model_is_tried_at_every_point():
    lists = {key: values[:1] for key, values in PAPER.items()}
    grid = read(Grid, {**lists, "models": ["som", "muver"]})
    ((point, values),) = points(lists).items()
    found = trials(grid, {}, {})
    assert found == {f"som_{point}": ("som", values), f"muver_{point}": ("muver", values)}
    assert {trial.point for trial in found.values()} == {point}


def test_one_value_is_varied_at_a_time_from_what_a_model_has():
    """First from the section's values, then with the model's own values of those before."""
    grid = {
        "models": ["som", "muver"], "one_at_a_time": True, "learning_rate": [1e-5, 2e-5],
        "weight_decay": [0.01], "warmup": [0.1], "batch_size": [32], "epochs": [1, 2],
    }  # fmt: skip
    start = {key: values[0] for key, values in grid.items() if key in HYPERPARAMETERS}
    chosen = {"som": start, "muver": {**start, "learning_rate": 2e-5, "epochs": 2}}
    end = "wd0.01_wu0.1_bs32"
    assert list(trials(read(Grid, grid), start, chosen)) == [
        f"som_lr1e-05_{end}_ep1", f"som_lr2e-05_{end}_ep1", f"som_lr1e-05_{end}_ep2",
        f"muver_lr1e-05_{end}_ep1", f"muver_lr2e-05_{end}_ep1", f"muver_lr2e-05_{end}_ep2",
    ]  # fmt: skip


def test_equal_values_spelled_otherwise_are_the_same_point():
    whole = points({**PAPER, "warmup": [0]})
    assert repr(whole) == repr(points({**PAPER, "warmup": [0.0]}))


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("learning_rate", [1e-5, 0]),
        ("learning_rate", [1e-5, "1e-5"]),
        ("weight_decay", [-0.1]),
        ("weight_decay", [None]),
        ("warmup", [1]),
        ("warmup", [-0.1]),
        ("warmup", []),
        ("warmup", 0.1),
        ("warmup", [0, 0.1, 0.0]),
        ("batch_size", [0]),
        ("batch_size", [32.5]),
        ("batch_size", [True]),
        ("initial_scale", [0]),
        ("epochs", [1.5]),
    ],
)
def test_values_that_are_refused(key: str, values: Any):
    with pytest.raises(InputError, match=key):
        read(Grid, {"models": ["muver"], **PAPER, key: values})


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
    found = points(dict(zip(HYPERPARAMETERS, values, strict=False)))
    assert len(found) == math.prod(map(len, values))
    for name, point in found.items():
        assert name_of(point) == name
        assert re.fullmatch(r"[a-z0-9._+-]+", name)
