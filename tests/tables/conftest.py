"""Evaluations to make tables of."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muver.evaluation.bootstrap import recall_intervals
from muver.evaluation.ranks import ranks_table, write_ranks

Evaluation = dict[str, Any]
SIZES = {"lego": 8, "yugioh": 3}


def make(system: str, lego: tuple[int, int], yugioh: tuple[int, int], **other: Any) -> Evaluation:
    """Hits at 1 and 64 of eight mentions of lego and three of yugioh."""
    cutoffs = ["1", "64"]
    worlds: dict[str, dict[str, Any]] = {}
    for world, hits in (("lego", lego), ("yugioh", yugioh)):
        by_cutoff = dict(zip(cutoffs, hits, strict=True))
        recall = {k: 100 * count / SIZES[world] for k, count in by_cutoff.items()}
        worlds[world] = {"mentions": SIZES[world], "hits": by_cutoff, "recall": recall}
    hits = {k: sum(world["hits"][k] for world in worlds.values()) for k in cutoffs}
    interval = recall_intervals(worlds)
    for world, own in interval.pop("worlds").items():
        worlds[world]["interval"] = own
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
        "interval": interval,
        "views_per_entity": None,
        **other,
    }


@pytest.fixture
def evaluation() -> Callable[..., Evaluation]:
    """Make an evaluation: ``evaluation(system, lego hits, yugioh hits, **replaced)``."""
    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., list[Path]]:
    """Write evaluations with the ranks beside each; the JSON files.

    In each world the first mentions are hit at 1, the next at 64, the last not at all.
    """

    def write_all(*evaluations: Evaluation) -> list[Path]:
        paths = []
        for evaluation in evaluations:
            path = tmp_path / f"{evaluation['system']}.json"
            path.write_text(json.dumps(evaluation))
            worlds, ranks = [], []
            for world, part in evaluation["worlds"].items():
                first, last = part["hits"]["1"], part["hits"]["64"]
                worlds += [world] * part["mentions"]
                ranks += [1] * first + [64] * (last - first) + [0] * (part["mentions"] - last)
            ids = [f"m{n}" for n in range(len(ranks))]
            table = ranks_table(ids, worlds, ranks, [3] * len(ranks), 64)
            write_ranks(path.with_suffix(".parquet"), table)
            paths.append(path)
        return paths

    return write_all
