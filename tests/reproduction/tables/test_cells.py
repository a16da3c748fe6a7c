"""What people read of results: which there are, and which cells are bold."""

from typing import get_args

from muver.reproduction.tables.cells import best_cells
from muver.reproduction.tables.pages import PAGES
from muver.reproduction.tables.records import AnyResult


def test_every_kind_of_result_has_a_page():
    assert PAGES.keys() == {*get_args(AnyResult)}


def test_the_greatest_of_a_column():
    rows = [["a", "9.00", "50.00"], ["b", "10.00", ""], ["c", "10.00", "50.00"]]
    assert best_cells(rows, (1, 2)) == {(1, 1), (2, 1), (0, 2), (2, 2)}


def test_groups_compete_among_themselves():
    rows = [["x", "1.00", ""], ["y", "5.00", ""], ["x", "2.00", ""], ["y", "4.00", ""]]
    assert best_cells(rows, [1, 2], group=[row[0] for row in rows]) == {(1, 1), (2, 1)}
