"""Empty views in training."""

from muver.retriever.training.padding import fill_with_empty_views


def test_an_entity_with_too_few_views_is_filled_up():
    views = [[5, 20, 6], [5, 21, 22, 6]]
    assert fill_with_empty_views(views, 4, 0, 3) == [*views, [0, 0, 0], [0, 0, 0]]


def test_an_entity_with_enough_views_stays_as_it_is():
    views = [[5, 20, 6], [5, 21, 22, 6]]
    assert fill_with_empty_views(views, 2, 0, 3) == views
    assert fill_with_empty_views(views, 1, 0, 3) == views
