"""Two runs of the same mentions: how far they are apart, and what of their making differs."""

from collections import Counter
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.reproduction.doctor.entities import Entities
from muver.reproduction.doctor.facts import differing_data, differing_settings
from muver.reproduction.doctor.origin import Origin
from muver.reproduction.doctor.ranks import (
    Gold,
    Ranks,
    compare_gold,
    compare_lists,
    gold_ranks,
    lists_of,
    read_gold,
)
from muver.reproduction.doctor.runs import Run, is_ours, read_runs
from muver.reproduction.doctor.settings import Comparison
from muver.retriever.evaluation.agreement import check_titles
from muver.retriever.runs.run import read_run


def compare(
    first: Path,
    second: Path,
    *,
    entities: Path | None = None,
    mentions: Path | None = None,
    qrels: Path | None = None,
    settings: Comparison | None = None,
) -> dict[str, Any]:
    """Compare two runs.

    Parameters
    ----------
    first, second
        Run files: ours (Parquet), or TREC's.
    entities, mentions
        The corpus' tables; by default those of the workspace that a run lies in.
    qrels
        TREC file of the gold entities, where no mentions are known; by default the one beside a
        TREC run.
    settings
        By default those of :class:`Comparison`.

    Returns
    -------
    The report, as JSON has it; ``found`` says whether the rankings differ by more than ties.

    Raises
    ------
    InputError
        If a file is no run or is cut, or the two have no mention in common or rank other entities.
    """
    asked = settings or Comparison()
    known = _entities((first, second), entities)
    runs = read_runs(first, second, known)
    shared, alone = _shared(runs)
    a, b = (run.only(shared) for run in runs)
    if known is not None or a.form == b.form:
        check_titles((first, second), (a.table, b.table))
    depth = min(run.depth for run in runs)
    lists = lists_of(a.table, depth), lists_of(b.table, depth)
    orders = {m: compare_lists(lists[0][m], lists[1][m], asked.tolerance) for m in shared}
    matches = _matches(runs, asked.match)
    gold = _gold(runs, known, qrels, mentions)
    ranks = [
        gold_ranks(run, gold, known, match) for run, match in zip((a, b), matches, strict=True)
    ]
    moved = compare_gold(*ranks, depth)
    for move in moved:
        move["gold"] = _title(gold[move["mention"]], known)
    kinds = Counter(orders.values())
    beyond_ties = kinds["changed"] or any(orders[move["mention"]] != "ties" for move in moved)
    return {
        "runs": [_described(run, match) for run, match in zip(runs, matches, strict=True)],
        "shared": {"mentions": len(shared), "only_first": alone[0], "only_second": alone[1]},
        "lists": {kind: kinds[kind] for kind in ("same", "ties", "changed")},
        **(_recall(ranks, moved, depth, asked.cutoffs) if ranks[0] else {}),
        "unknown": [run.manifest is None for run in runs],
        "settings": differing_settings(runs),
        "data": differing_data(runs),
        "found": bool(beyond_ties or any(alone)),
    }


def _entities(paths: tuple[Path, Path], given: Path | None) -> Entities | None:
    """The entities of --entities, or of a workspace that one of the runs lies in.

    Those of the worlds of our runs; of all worlds if both are foreign.
    """
    origins = [origin for path in paths if (origin := Origin.of(path))]
    found = (origin.file("corpus", "entities.parquet") for origin in origins)
    path = given or next(filter(None, found), None)
    if path is None:
        return None
    ours = [read_run(run) for run in paths if is_ours(run)]
    worlds = {world for table in ours for world in table["world"].unique().to_pylist()}
    return Entities.read(path, worlds or None)


def _shared(runs: tuple[Run, Run]) -> tuple[list[str], tuple[int, int]]:
    """Mentions of both runs, and how many each has alone."""
    own = [run.mentions for run in runs]
    have = set(own[1])
    shared = [mention for mention in own[0] if mention in have]
    if not shared:
        raise InputError(
            f"{runs[0].path} and {runs[1].path} have no mention in common ({len(own[0])} and "
            f"{len(own[1])} mentions; {next(iter(own[0]), None)!r} and "
            f"{next(iter(own[1]), None)!r} come first): runs of other data or another split."
        )
    return shared, (len(own[0]) - len(shared), len(own[1]) - len(shared))


def _matches(runs: tuple[Run, Run], asked: str | None) -> list[str]:
    """How each run counts titles: as its settings say, else as asked or as the other does."""
    own = [run.settings.get("match") for run in runs]
    return [match or asked or own[0] or own[1] or "title" for match in own]


def _gold(
    runs: tuple[Run, Run], entities: Entities | None, qrels: Path | None, mentions: Path | None
) -> Gold:
    """The gold entities, from what was given or lies beside a run."""
    if mentions is not None and qrels is not None:
        raise InputError("--mentions and --qrels both tell the gold entities: give one of them.")
    if mentions is None and qrels is None:
        origins = [run.origin for run in runs if run.origin and entities is not None]
        found = (origin.file("corpus", "mentions.parquet") for origin in origins)
        mentions = next(filter(None, found), None)
    if mentions is None and qrels is None:
        beside = (run.path.with_suffix(".qrels") for run in runs if run.form == "trec")
        qrels = next((path for path in beside if path.is_file()), None)
    split = next((run.settings.get("split") for run in runs if run.manifest is not None), None)
    return read_gold(qrels, mentions, entities, split)


def _recall(
    ranks: list[Ranks], moved: list[dict[str, Any]], depth: int, asked: list[int]
) -> dict[str, Any]:
    """Recall of both runs on the shared mentions, and the moves of the gold entities."""
    cutoffs = sorted(k for k in asked if k <= depth) or [depth]
    recall = [
        {k: 100 * sum(1 <= rank <= k for rank in own.values()) / len(own) for k in cutoffs}
        for own in ranks
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
        "deeper": [sum(rank > depth for rank in own.values()) for own in ranks],
        "counts": {
            "same": len(ranks[0]) - len(moved),
            **{kind: kinds[kind] for kind in ("up", "down", "found", "lost")},
        },
        "moved": moved,
    }


def _title(gold: set[Any], entities: Entities | None) -> str:
    one = min(gold, key=str)
    if isinstance(one, tuple) and entities is not None and one[0] in entities.titles:
        return entities.titles[one[0]][one[1]]
    return f"{one[0]}/{one[1]}" if isinstance(one, tuple) else one


def _described(run: Run, match: str) -> dict[str, Any]:
    return {
        "file": run.path.as_posix(),
        "form": run.form,
        "mentions": len(run.mentions),
        "depth": run.depth,
        "match": match,
        "notes": run.notes,
    }
