"""What people read of results: which there are, and which cells are bold."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from muver.reproduction.tables.page import best_cells
from muver.reproduction.tables.pages import PAGES
from muver.reproduction.tables.records import AnyResult


def test_every_kind_of_result_has_a_page():
    assert PAGES.keys() == {*get_args(AnyResult)}


def test_the_greatest_of_a_column():
    rows = [["a", "9.00", "50.00"], ["b", "10.00", ""], ["c", "10.00", "50.00"]]
    assert best_cells(rows, (1, 2)) == {(1, 1), (2, 1), (0, 2), (2, 2)}


def test_groups_compete_among_themselves():
    rows = [["x", "1.00"], ["y", "5.00"], ["x", "2.00"], ["y", "4.00"]]
    assert best_cells(rows, [1], group=[row[0] for row in rows]) == {(1, 1), (2, 1)}


def test_a_column_without_numbers_has_no_best():
    assert best_cells([["a", ""], ["b", ""]], [1]) == set()


@given(st.lists(st.integers(0, 100), min_size=1, max_size=6))
def test_what_is_bold_is_greatest_and_nothing_else(values):
    found = best_cells([[f"{value}.00"] for value in values], [0])
    assert found == {(n, 0) for n, value in enumerate(values) if value == max(values)}
