"""Two evaluations of eight mentions, counted by hand.

Four gold entities have 3 sentences, two 12, one 150, one none. At cutoff 1 BLINK misses three of
the first four and both of the next two, MuVER one of each.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from muver.io.files import write_json
from muver.io.parquet import write_table
from muver.retriever.evaluation.recall import scored
from tests.blank import blank_evaluation
from tests.retriever.evaluation.conftest import make_ranks

SENTENCES = [3, 3, 3, 3, 12, 12, 150, 0]
RANKS = {"blink_128": [1, 0, 0, 2, 0, 0, 1, 1], "muver": [1, 1, 0, 1, 1, 0, 1, 1]}
WORLDS = ["lego", "lego", "yugioh", "yugioh"] * 2
ROWS = [
    {"method": "BLINK (128 tokens)", "system": "blink_128"},
    {"method": "MuVER", "system": "muver"},
]
SETTINGS = {"rows": ROWS, "cutoff": 1, "bin": 5, "last": 20}


def save_evaluation(
    folder: Path,
    system: str,
    ranks: list[int],
    dataset: str = "tiny",
    identified_as: str | None = None,
    document: str | None = None,
) -> Path:
    """What the evaluate stage writes, with the ranks beside it."""
    table = make_ranks(ranks, WORLDS, SENTENCES, documents=[document] * len(ranks))
    write_table(folder / f"{system}.parquet", table)
    own = {"system": system, "dataset": dataset, "identified_as": identified_as}
    own |= {"cutoffs": [1, 64], "settings": {"system": system, "seed": 1}, "views_per_entity": 1.0}
    scores = scored(table, [1, 64], "documents")
    write_json(folder / f"{system}.json", blank_evaluation(scores, **own))
    return folder / f"{system}.json"


@pytest.fixture
def settings() -> dict:
    """BLINK against MuVER at cutoff 1, four bins."""
    return dict(SETTINGS)


@pytest.fixture
def evaluations(tmp_path: Path) -> Callable[..., list[Path]]:
    """Write both evaluations: ``evaluations(identified_as="zeshel")``."""

    def make(**more) -> list[Path]:
        return [save_evaluation(tmp_path, system, ranks, **more) for system, ranks in RANKS.items()]

    return make
