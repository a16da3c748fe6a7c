"""What people read of results: which there are, and which cells are bold."""

from typing import get_args

from muver.reproduction.tables.cells import best_cells
from muver.reproduction.tables.pages import PAGES
from muver.reproduction.tables.records import AnyResult


def test_every_kind_of_result_has_a_page():
    assert PAGES.keys() == {*get_args(AnyResult)}


def test_the_greatest_of_a_column_and_group_numbers_that_print_the_same_among_them():
    recall = {
        (0, 1): "9.00", (1, 1): "10.00", (2, 1): "10.00", (3, 1): "50.00",
        (0, 2): "50.00", (3, 2): "4.00",
    }  # fmt: skip
    assert best_cells(recall, [""] * 4) == {(3, 1), (0, 2)}
    assert best_cells(recall, ["x", "x", "x", "y"]) == {(1, 1), (2, 1), (0, 2), (3, 1), (3, 2)}
