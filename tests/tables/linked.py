"""Evaluations of linked sets: two systems, three sets of four, two and five mentions inside."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.evaluation.bootstrap import recall_intervals
from muver.evaluation.ranks import ranks_table, write_ranks
from muver.tables.paper import linked_size

Evaluation = dict[str, Any]
SIZES = {"aida-testb": 4, "msnbc": 2, "wnedwiki": 5}
HITS = {  # at 10 and 100
    "blink": {"aida-testb": (2, 3), "msnbc": (1, 2), "wnedwiki": (0, 1)},
    "muver": {"aida-testb": (3, 4), "msnbc": (0, 2), "wnedwiki": (5, 5)},
}
AGREED = {
    "factory": "IVF4,SQ8", "agreement": 0.996, "recall": 0.998, "best": {"found": 0.996}, "k": 100,
    "mentions": 50, "knob": "nprobe", "effort": 16,
}  # fmt: skip
ROWS = [{"method": "BLINK", "system": "blink"}, {"method": "MuVER", "system": "muver"}]


def make(system: str, name: str, **other: Any) -> Evaluation:
    """The evaluation of a system on a set."""
    size, hits = SIZES[name], dict(zip(("10", "100"), HITS[system][name], strict=True))
    recall = {k: 100 * count / size for k, count in hits.items()}
    worlds = {name: {"mentions": size, "hits": hits, "recall": recall}}
    interval = recall_intervals(worlds)
    worlds[name]["interval"] = interval.pop("worlds")[name]
    return {
        "system": system,
        "dataset": name,
        "fingerprint": f"{name}-f00d",
        "settings": {"system": system, "seed": 1},
        "cutoffs": [10, 100],
        "mentions": size,
        "hits": hits,
        "micro": recall,
        "macro": recall,
        "worlds": worlds,
        "interval": interval,
        "views_per_entity": 4.5 if system == "muver" else 1.0,
        "mentions_in_all": size + 3,
        "outside_kb": 3,
        "matched_by_title": 1,
        "kb": {"dataset": "miniwikipedia", "entities": 50, "fingerprint": "kb"},
        "model": f"{system} weights",
        "index": AGREED if system == "muver" else None,
        **other,
    }


def make_all(**other: Any) -> list[Evaluation]:
    return [make(system, name, **other) for system in HITS for name in SIZES]


def of_the_paper() -> list[Evaluation]:
    """On the paper's knowledge base, with its number of mentions in all."""
    kb = {"dataset": "wikipedia", "entities": 5903530, "fingerprint": "kb"}
    return [
        make(system, name, kb=kb, mentions_in_all=linked_size(name)["mentions"])
        for system in HITS
        for name in SIZES
    ]


def write(folder: Path, evaluations: Sequence[Evaluation]) -> list[Path]:
    """Write evaluations with the ranks beside each; the JSON files."""
    paths = []
    for evaluation in evaluations:
        path = folder / evaluation["system"] / f"{evaluation['dataset']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(evaluation))
        first, last = evaluation["hits"].values()
        size, name = evaluation["mentions"], evaluation["dataset"]
        ranks = [1] * first + [99] * (last - first) + [0] * (size - last)
        ids = [f"{name}-{n}" for n in range(size)]
        table = ranks_table(ids, [name] * size, ranks, [0] * size, 100)
        write_ranks(path.with_suffix(".parquet"), table)
        paths.append(path)
    return paths
