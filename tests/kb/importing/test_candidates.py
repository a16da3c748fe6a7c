"""Which of the mentions that links could give are kept."""

import pytest

from muver.kb.importing.candidates import allowed
from muver.kb.importing.settings import Mentions


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({"high_overlap": 0.5}, (10, 10)),
        ({"high_overlap": 0.2}, (2, 10)),
        ({"high_overlap": 0}, (0, 10)),
        ({"high_overlap": 1}, (100, 10)),
        ({"high_overlap": 0.2, "per_world": 5}, (1, 4)),
    ],
)
def test_how_many_are_kept_of_100_that_equal_their_title_and_10_others(settings, kept):
    assert allowed(100, 10, Mentions(**settings)) == kept
