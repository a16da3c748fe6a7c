"""The view that is shown beside an answer."""

import numpy as np
import pytest

from muver.kb.index.entity import Entity
from muver.kb.index.views import EntityViews


def entity(*views):
    """One whose views are sentences of their own, in a layer each if they are pairs."""
    views = [one if isinstance(one, tuple) else (0, one) for one in views]
    text, spans = "", []
    for _, one in views:
        spans.append((len(text), len(text) + len(one)))
        text += f"{one} "
    places = [(layer, n, n) for n, (layer, _) in enumerate(views)]
    made = Entity(id="1", title="t", description=text, world="w")
    return EntityViews(made, np.array(spans), np.array(places), np.zeros((len(views), 2)))


@pytest.mark.parametrize(
    ("views", "similarities", "won", "shown"),
    [
        (["(1995-11-11)", "Anna forged the gate"], [10.0, 9.95], 0, 1),
        (["(१९९५)", "अन्ना ने द्वार गढ़ा"], [10.0, 9.95], 0, 1),
        (["（一九）", "安娜打造了大门"], [-10.0, -10.05], 0, 1),
        (["(1995-11-11)", "Anna forged the gate"], [10.0, 9.5], 0, 0),
        (["Anna", "Άννα σιδεράς", "安娜"], [9.99, 10.0, 9.98], 1, 1),
        (["same", "like"], [10.0, 10.0], 1, 1),
        (["Anna", (1, "Anna forged the gate")], [10.0, 10.0], 0, 0),
        (["Anna"], [1.0], 0, 0),
        (["Anna", "Anna and Bo"], [1.0, 1.0], -1, -1),
    ],
)
def test_of_views_about_as_similar_the_one_that_says_most(views, similarities, won, shown):
    assert entity(*views).shown(won, np.array(similarities)) == shown
