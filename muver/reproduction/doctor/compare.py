"""Two runs of the same mentions: how far they are apart, and what of their making differs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import fields, flat
from muver.reproduction.workspace.catalog import origins, place_of, read_catalog
from muver.retriever.encoders.settings import Encoding
from muver.retriever.evaluation.recall import read_ranks
from muver.retriever.runs.manifest import chosen_of
from muver.retriever.runs.run import block_starts, ranked_mentions, read_run

CUTOFFS = (1, 2, 4, 8, 16, 32, 50, 64)
TOLERANCE = 1e-5  # of the larger score: some last digits of a float32 sum
Json = dict[str, Any]
Ranks = Mapping[str, int]  # of the gold entity by mention, from 1; 0: not there


class Ranked(NamedTuple):
    """The candidates of a mention, best first."""

    names: list[tuple[str, Any]]  # world, and line number or title
    scores: np.ndarray  # float64


class Run(NamedTuple):
    """A run, its manifest and its evaluation; they are empty where there are none."""

    path: Path
    table: pa.Table
    manifest: Json
    evaluation: Json
    ranks: Ranks
    made_of: dict[str, Path]  # by kind, the nearest artifact that it was made from

    @property
    def retrieval(self) -> Json:
        """How the candidates were ranked."""
        return self.manifest.get("settings", {})


def read(path: Path) -> Run:
    """A run file, with its manifest beside it and its evaluation in the same dataset's folder."""
    table, manifest = read_run(path), path.resolve().with_suffix(".json")
    evaluation, ranks, made_of = {}, {}, {}
    if place := place_of(path):
        root, artifact = place
        made_of = origins(root, artifact)
        for name, inputs in read_catalog(root).items():
            scores = root / f"{name}.json"
            if artifact in inputs and name.startswith("evaluations/") and scores.is_file():
                evaluation, found = read_json(scores), read_ranks(scores.with_suffix(".parquet"))
                columns = (found[column].to_pylist() for column in ("mention_id", "rank"))
                ranks = dict(zip(*columns, strict=True))
    known = read_json(manifest) if manifest.is_file() else {}
    return Run(path, table, known, evaluation, ranks, made_of)


def _check_titles(paths: Sequence[Path], tables: Sequence[pa.Table]) -> None:
    """Refuse different titles: entities are only numbers, which may agree by chance."""
    columns = (
        [table[name].to_pylist() for name in ("world", "entity", "title")] for table in tables
    )
    first, second = (
        {(world, entity): title for world, entity, title in zip(*table, strict=True)}
        for table in columns
    )
    for entity, title in first.items():
        if (other := second.get(entity, title)) != title:
            raise InputError(
                f"{paths[1]}: calls {other!r} what {paths[0]} calls {title!r}: runs of other "
                "entities. Compare runs over the same data."
            )


def compare(first: Path, second: Path) -> Json:
    """Compare two run files; the report, as JSON has it.

    ``found`` says whether the rankings differ by more than ties.
    """
    runs = [read(path) for path in (first, second)]
    _check_titles((first, second), [run.table for run in runs])
    matches = [run.retrieval.get("match") for run in runs]
    a, b = (ranked(run.table, "title" if set(matches) == {"title"} else "entity") for run in runs)
    shared = [mention for mention in a if mention in b]
    if not shared:
        raise InputError(
            f"{first} and {second} have no mention in common: runs of other data or another split."
        )
    alone = [len(run) - len(shared) for run in (a, b)]
    depths = [max(len(candidates.names) for candidates in run.values()) for run in (a, b)]
    depths = [run.retrieval.get("k", depth) for run, depth in zip(runs, depths, strict=True)]
    orders = {mention: compare_lists(a[mention], b[mention], min(depths)) for mention in shared}
    judged = [mention for mention in shared if all(mention in run.ranks for run in runs)]
    ranks = [{mention: run.ranks[mention] for mention in judged} for run in runs]
    moved = compare_gold(*ranks, min(depths))
    kinds = Counter(orders.values())
    beyond_ties = kinds["changed"] or any(orders[move["mention"]] != "ties" for move in moved)
    data = _differences(*map(_data, runs))
    return {
        "runs": [
            {"file": run.path.as_posix(), "mentions": len(lists), "depth": depth, "match": match}
            for run, lists, depth, match in zip(runs, (a, b), depths, matches, strict=True)
        ],
        "shared": {"mentions": len(shared), "only_first": alone[0], "only_second": alone[1]},
        "lists": {kind: kinds[kind] for kind in ("same", "ties", "changed")},
        **(_recall(ranks, moved, min(depths)) if judged else {}),
        "unknown": [not run.manifest for run in runs],
        "settings": differing_settings(runs),
        "data": [fact for fact in data if None not in (fact["first"], fact["second"])],
        "found": bool(beyond_ties or any(alone)),
    }


def ranked(table: pa.Table, by: str) -> dict[str, Ranked]:
    """A run by mention; ``by`` is the column that tells candidates of a world apart."""
    names = list(zip(table["world"].to_pylist(), table[by].to_pylist(), strict=True))
    scores = table["score"].to_numpy().astype(np.float64)
    bounds = pairwise([*block_starts(table).tolist(), len(names)])
    blocks = zip(ranked_mentions(table), bounds, strict=True)
    return {mention: Ranked(names[a:b], scores[a:b]) for mention, (a, b) in blocks}


def compare_lists(first: Ranked, second: Ranked, depth: int) -> str:
    """How two ranked lists of a mention differ down to a depth: "same", "ties" or "changed".

    "ties" if the order differs while every candidate has nearly the same score in both lists; one
    that a list lacks may have the score of its last, as the cut can fall between equals.
    """
    if first.names[:depth] == second.names[:depth]:
        return "same"
    lists = first, second
    a, b = (dict(zip(ranked.names[:depth], ranked.scores, strict=False)) for ranked in lists)
    ends = [ranked.scores[:depth][-1] for ranked in lists]
    scores = [(a.get(name, ends[0]), b.get(name, ends[1])) for name in {**a, **b}]
    apart, larger = np.ptp(scores, axis=1), np.abs(scores).max(axis=1)
    return "ties" if (apart <= TOLERANCE * larger).all() else "changed"


def compare_gold(first: Ranks, second: Ranks, depth: int) -> list[Json]:
    """Every mention whose gold entity moved, the greatest move first.

    ``depth`` is that of the shallower run: what the deeper one finds below counts as not found, and
    what is not found counts as one place below the end. A move has its ``mention``, ``first`` and
    ``second`` (ranks; None: not found) and ``kind`` ("up", "down", "found", "lost"; of the second
    run against the first).
    """
    moved = []
    for mention in first:
        a, b = (rank if (rank := ranks[mention]) <= depth else 0 for ranks in (first, second))
        if a != b:
            kind = "found" if not a else "lost" if not b else "up" if b < a else "down"
            move = {"mention": mention, "first": a or None, "second": b or None, "kind": kind}
            moved.append((abs((a or depth + 1) - (b or depth + 1)), move))
    return [move for _, move in sorted(moved, key=lambda pair: pair[0], reverse=True)]


def _recall(ranks: Sequence[Ranks], moved: list[Json], depth: int) -> Json:
    """Recall of both runs on the shared mentions, and the moves of the gold entities."""
    cutoffs = [k for k in CUTOFFS if k <= depth] or [depth]
    recall = [
        {k: 100 * sum(1 <= rank <= k for rank in run.values()) / len(run) for k in cutoffs}
        for run in ranks
    ]
    kinds = Counter(move["kind"] for move in moved)
    return {
        "depth": depth,
        "recall": {
            "mentions": len(ranks[0]),
            "first": recall[0],
            "second": recall[1],
            "difference": {k: recall[1][k] - recall[0][k] for k in cutoffs},
        },
        "counts": {
            "same": len(ranks[0]) - len(moved),
            **{kind: kinds[kind] for kind in ("up", "down", "found", "lost")},
        },
        "moved": moved,
    }


def differing_settings(runs: Sequence[Run]) -> list[Json]:
    """Settings that differ, each with its ``name``, ``first`` and ``second`` value.

    They are the rows' whole settings, which row keys are made from: these leave out threads and
    memory. Where a run has no evaluation, they are those of both manifests.
    """
    rows = [dict(run.evaluation.get("settings", {})) for run in runs]
    if not all(rows):
        rows = [{"retrieve": run.retrieval} for run in runs]
    for settings, run in zip(rows, runs, strict=True):
        settings.pop("system", None)  # what a row is called
        if chosen := chosen_of(run.manifest):
            settings["chosen"] = {chosen.setting: chosen.value}
    return _differences(*rows)


def _data(run: Run) -> Json:
    """Data, versions and the machine, as far as they are known of a run."""
    facts = {key: run.manifest.get(key) for key in ("muver", "inputs", "counts")}
    facts |= {key: run.evaluation.get(key) for key in ("dataset", "fingerprint")}
    for kind in ("stores", "merged"):
        if kind in run.made_of and (path := run.made_of[kind] / "manifest.json").is_file():
            settings = read_json(path)["settings"]
            facts[kind] = {key: settings[key] for key in fields(Encoding) if key in settings}
    return facts


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Json]:
    a, b = dict(flat(first)), dict(flat(second))
    return [
        {"name": name, "first": a.get(name), "second": b.get(name)}
        for name in {**a, **b}
        if a.get(name) != b.get(name)
    ]
