"""Evaluations to make tables of."""

from collections.abc import Callable
from typing import Any

import pytest

Evaluation = dict[str, Any]


def make(system: str, lego: tuple[int, int], yugioh: tuple[int, int], **other: Any) -> Evaluation:
    """Hits at 1 and 64 of eight mentions of lego and three of yugioh."""
    cutoffs = ["1", "64"]
    worlds = {}
    for world, mentions, hits in (("lego", 8, lego), ("yugioh", 3, yugioh)):
        by_cutoff = dict(zip(cutoffs, hits, strict=True))
        recall = {k: 100 * count / mentions for k, count in by_cutoff.items()}
        worlds[world] = {"mentions": mentions, "hits": by_cutoff, "recall": recall}
    hits = {k: sum(world["hits"][k] for world in worlds.values()) for k in cutoffs}
    return {
        "system": system,
        "dataset": "tiny",
        "fingerprint": "f00d",
        "settings": {"system": system, "seed": 1},
        "cutoffs": [1, 64],
        "mentions": 11,
        "hits": hits,
        "micro": {k: 100 * count / 11 for k, count in hits.items()},
        "macro": {k: sum(w["recall"][k] for w in worlds.values()) / 2 for k in cutoffs},
        "worlds": worlds,
        **other,
    }


@pytest.fixture
def evaluation() -> Callable[..., Evaluation]:
    """Make an evaluation: ``evaluation(system, lego hits, yugioh hits, **replaced)``."""
    return make
