"""Paired tests over mentions and seeds, against differences and draws computed by hand."""

import numpy as np
import pytest

from muver.io.errors import InputError
from muver.reproduction.verdicts.tests import holm, joined, more, rising, widening
from muver.retriever.evaluation.bootstrap import draw_means
from muver.retriever.evaluation.recall import ranks_table

ABOUT = 0.02  # of a share of the draws


def ranked(*seeds, worlds="", documents="", sentences=()):
    """Ranks by seed; a letter is each mention's world, and its document."""
    number = len(seeds[0])
    ids = [f"m{n}" for n in range(number)]
    return {
        f"{seed}": ranks_table(
            ids, worlds or ["w"] * number, documents or ids, ranks, sentences or [3] * number, 64
        )
        for seed, ranks in enumerate(seeds)
    }


def test_two_mentions_that_cancel():
    # Of two draws from +1 and -1: twice +1, one each (twice as often), twice -1.
    (part,) = more(ranked([1, 0]), ranked([0, 1]), (1, 1))
    assert (part.label, part.difference, part.mentions, part.seeds) == ("R@1", 0.0, 2, 1)
    assert part.interval == [-100.0, 100.0]
    assert (part.above, part.below) == pytest.approx((0.75, 0.75), abs=ABOUT)


def test_a_lead_everywhere():
    (part,) = more(ranked([1, 1]), ranked([2, 0]), (1, 1))
    assert (part.difference, part.interval) == (100.0, [100.0, 100.0])
    assert (part.above, part.below) == (1 / 10_001, 1.0)


def test_documents_are_drawn_whole():
    # One document: each draw is the same
    (part,) = more(ranked([1, 0, 1], documents="aaa"), ranked([0, 1, 0], documents="aaa"), (1, 1))
    assert part.interval == pytest.approx([100 / 3, 100 / 3])


def test_seeds_are_drawn_too():
    # Of two seeds one is drawn: the lead of the first, or that of the second
    (part,) = more(ranked([1, 1], [0, 0]), ranked([0, 0], [1, 1]), (1, 1))
    assert (part.difference, part.interval, part.seeds) == (0.0, [-100.0, 100.0], 2)
    assert (part.above, part.below) == pytest.approx((0.5, 0.5), abs=ABOUT)


def test_the_spread_over_seeds_has_no_bias():
    # Four seeds that lead by 1, 1, 0 and 0: sample variance 1/3, that of their mean 1/12
    drawn = draw_means(np.array([[1, 1, 0, 0]] * 5), ["w"] * 5, np.arange(5))
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)
    assert drawn.var() == pytest.approx(1 / 12, abs=0.003)


def test_only_seeds_that_both_have_count():
    (part,) = more(ranked([1], [1], [1]), ranked([0], [1]), (1, 1))
    assert (part.difference, part.seeds) == (50.0, 2)
    with pytest.raises(InputError, match="no seed in common"):
        more(ranked([1]), {"other": ranked([1])["0"]}, (1, 1))


def test_other_cutoffs_of_the_second_row():
    (part,) = more(ranked([2, 2, 9]), ranked([4, 5, 5]), (2, 4))
    assert (part.label, part.difference) == ("R@2 and R@4", pytest.approx(100 / 3))


def test_a_loss_that_is_allowed():
    # 1 of 200 mentions lost: half a point, less than one
    (part,) = more(ranked([1] * 199 + [0]), ranked([1] * 200), (1, 1), than=-1)
    assert part.difference == -0.5
    # More than one mention lost, in draws of a Poisson of mean 1: P(n >= 2) = 1 - 2 / e
    assert part.above == pytest.approx(1 - 2 / np.e, abs=ABOUT)


def test_lengths_of_descriptions():
    first, second = ranked([1, 1, 0], sentences=[4, 5, 11]), ranked([0] * 3, sentences=[4, 5, 11])
    (part,) = more(first, second, (1, 1), sentences=(5, 10))
    assert (part.label, part.difference, part.mentions) == ("R@1, 5 to 10 sentences", 100.0, 1)
    with pytest.raises(InputError, match="no mention is of this kind"):
        more(first, second, (1, 1), sentences=(6, 10))


def test_each_world():
    parts = more(ranked([1, 1, 0], worlds="vvw"), ranked([0, 0, 1], worlds="vvw"), (1, 1),
                 each_world=True)  # fmt: skip
    assert [(one.label, one.difference) for one in parts] == [("R@1, v", 100.0), ("R@1, w", -100.0)]
    assert joined(parts) == (1.0, 2 / 10_001)


def test_rising():
    # Recall of 20, 40 and 90: the slope of three equidistant points is half of their ends' rise
    rows = [ranked([1] * n + [0] * (10 - n)) for n in (2, 4, 9)]
    part = rising(rows, 1)
    assert (part.label, part.difference) == ("R@1, a row", pytest.approx(35))


def test_widening():
    # No lead at 5 sentences, one of 100 points at 11 to 15: two bins further; 101 are left out
    lengths = [5, 11, 15, 101]
    part = widening(
        ranked([1, 1, 1, 0], sentences=lengths), ranked([1, 0, 0, 1], sentences=lengths), 1
    )
    assert (part.label, part.mentions) == ("R@1, a bin of 5 sentences", 3)
    assert part.difference == pytest.approx(50)
    with pytest.raises(InputError, match="more than one length"):
        widening(ranked([1, 1]), ranked([0, 1]), 1)


def test_holm_stops_at_the_first_that_is_too_great():
    # 3 x 0.02 = 0.06, then 2 x 0.024 = 0.048 is raised to 0.06, and 0.5 stays
    assert holm({"a": 0.024, "b": 0.5, "c": 0.02}) == pytest.approx(
        {"c": 0.06, "a": 0.06, "b": 0.5}
    )
