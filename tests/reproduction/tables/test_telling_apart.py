"""Can a verdict fail? Rows of the paper's Table 1 are judged as if each were another.

The rows with a number at every cutoff make twelve pairs: a row as it is claimed to be, and the row
whose numbers it has in truth. A pair is told apart if any cutoff says that it is not reproduced, or
any contrast of the claimed row that the paper's claim does not hold.
"""

from functools import cache
from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import yaml

from muver.reproduction.tables.paper import claim, half_width, paper, published, verdict
from muver.retriever.evaluation.significance import all_paired
from tests.retriever.evaluation.conftest import make_ranks

ROOT = Path(__file__).parents[3]
CUTOFFS = paper()["columns"]
ROWS = ("blink_128", "blink_512", "muver_plain", "muver")
PAIRS = list(permutations(ROWS, 2))  # (claimed, true)
MENTIONS = 10_000
RECALL = {row: published("table1", row, CUTOFFS) for row in ROWS}
CONTRASTS = yaml.safe_load((ROOT / "params.yaml").read_text())["contrasts"]


@cache
def ranks(row: str, place: int, seed: int | None) -> pa.Table:
    """Ranks with the row's recall, the mentions in the order of a place among the rows.

    The order, from easy to hard, is drawn from ``seed``; None gives the same order to all.
    """
    order = np.arange(MENTIONS)
    if seed is not None:
        generator = np.random.default_rng(seed)
        for _ in range(place + 1):
            order = generator.permutation(MENTIONS)
    found = np.zeros(MENTIONS, dtype=int)
    for k in reversed(CUTOFFS):
        found[order[: round(RECALL[row][k] * MENTIONS / 100)]] = k
    return make_ranks(found)


def by_number(claimed: str, true: str) -> bool:
    for k in RECALL[claimed]:
        ours, theirs = RECALL[true][k], RECALL[claimed][k]
        if verdict(ours - theirs, half_width(ours, theirs, MENTIONS)) in ("near", "not reproduced"):
            return True
    return False


def told_by_contrast(seed: int | None) -> list[tuple[str, str]]:
    """The pairs that a contrast tells apart.

    ``seed`` of the order of mentions in each row; None: the same in all.
    """
    compared = []
    for claimed, true in PAIRS:
        rows = {
            row: ranks(true if row == claimed else row, 0 if seed is None else place, seed)
            for place, row in enumerate(ROWS)
        }
        compared += [
            ((claimed, true), pair, (rows[pair[0]], rows[pair[1]]))
            for pair in CONTRASTS
            if claimed in pair and {*pair} <= {*ROWS}
        ]
    # All at once, as each call of the bootstrap draws its mentions anew.
    found = all_paired([tables for *_, tables in compared], CUTOFFS, "documents")
    told = set()
    for ((claimed, true), (first, second), _), ours in zip(compared, found, strict=True):
        for k in RECALL[claimed]:
            theirs = RECALL[first][k] - RECALL[second][k]
            if claim(ours.difference[k], ours.interval[k], theirs) == "does not hold":
                told.add((claimed, true))
    return sorted(told)


def test_numbers_tell_no_more_than_differences_of_some_points():
    told = [pair for pair in PAIRS if by_number(*pair)]
    blinks = {("blink_128", "blink_512"), ("blink_512", "blink_128")}
    assert not blinks & set(told)
    assert len(told) == 10


@pytest.mark.parametrize(("seed", "expected"), [(None, 12), (0, 10)])
def test_contrasts_tell_all_apart_as_far_as_rows_agree(few_resamples, seed, expected):
    """Rows that find the same mentions first, and rows that have nothing in common."""
    assert len(told_by_contrast(seed)) == expected


def test_the_documentation_has_the_counts():
    text = (ROOT / "docs" / "fidelity.md").read_text()
    assert "10 of the 12" in text
