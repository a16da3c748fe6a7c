"""Two runs of the same mentions: what moved, and what in their making explains it."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from muver.doctor import moves
from muver.doctor.causes import differences, likely, seen_scores
from muver.doctor.facts import check_scores, damages, facts_of
from muver.doctor.names import Names
from muver.doctor.side import Side, gold_of, gold_ranks, read_sides
from muver.evaluation.agreement import table_agreement
from muver.evaluation.ranks import ranks_table
from muver.evaluation.significance import paired
from muver.io.checking import check_choices, with_defaults
from muver.io.errors import InputError

DEFAULTS = {"cutoffs": [1, 2, 4, 8, 16, 32, 50, 64], "tolerance": moves.TOLERANCE, "match": None}


def compare(
    first: Path,
    second: Path,
    *,
    entities: Path | None = None,
    mentions: Path | None = None,
    qrels: Path | None = None,
    settings: Mapping[str, Any] | None = None,
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
        ``cutoffs`` of recall@k; ``tolerance``, the part of a score by which others may differ and
        still count as equal; ``match`` ("title" or "id"), where nothing else says.

    Returns
    -------
    The report, as JSON has it; ``found`` says whether the rankings differ by more than ties, or
    the files are not sound.

    Raises
    ------
    InputError
        If a file is no run or is cut, or the two have no mention in common.
    """
    settings = with_defaults(settings or {}, DEFAULTS)
    check_choices(settings, {"match": (None, "title", "id")})
    _check(settings)
    tolerance = settings["tolerance"]
    names = _names(first, second, entities)
    sides = read_sides(first, second, names)
    shared, whole = _shared(sides)
    a, b = (side.only(shared) for side in sides)
    agreement = table_agreement(
        (first, second), (a.table, b.table), same_titles=names is not None or _ours(sides)
    )
    depth = min(side.depth for side in sides)
    lists = moves.blocks(a.table, depth), moves.blocks(b.table, depth)
    orders = Counter(moves.compare_lists(lists[0][m], lists[1][m], tolerance) for m in shared)
    damaged = [damage for side in sides for damage in damages(side)]
    gold, matches = _gold(sides, names, qrels, mentions, settings["match"])
    report: dict[str, Any] = {
        "runs": [_describe(side, match) for side, match in zip(sides, matches, strict=True)],
        "shared": {"mentions": len(shared), "only_first": whole[0], "only_second": whole[1]},
        "agreement": agreement,
        "lists": {kind: orders[kind] for kind in ("same", "ties", "changed")},
        "tolerance": tolerance,
    }
    if gold:
        report |= _recall((a, b), gold, names, matches, lists, settings)
        for side, match in zip(sides, matches, strict=True):
            damaged += check_scores(side, *gold_ranks(side, gold, names, match))
    report["damaged"] = _distinct(damaged)
    facts = facts_of(sides[0]), facts_of(sides[1])
    weights = [
        {name: value for name, value in own.values.items() if name.startswith("weights.")}
        for own in facts
    ]
    size = float(np.abs(a.table["score"].to_numpy()).mean())
    seen = seen_scores(agreement, tolerance, size)
    moved = orders["changed"] > 0 or any(
        move["first"] != move["second"] for move in report.get("moved", [])
    )
    report["scores"] = seen
    report["sources"] = [own.sources for own in facts]
    report["causes"] = likely(
        differences(*facts), seen, bool(weights[0]) and weights[0] == weights[1], moved
    )
    real = [move for move in report.get("moved", []) if not move["ties"]]
    report["found"] = bool(orders["changed"] or real or report["damaged"] or whole[0] or whole[1])
    return report


def _check(settings: Mapping[str, Any]) -> None:
    cutoffs, tolerance = settings["cutoffs"], settings["tolerance"]
    if not isinstance(cutoffs, list) or any(type(k) is not int or k < 1 for k in cutoffs):
        raise InputError(
            f"--settings: cutoffs is {cutoffs!r}, expected a list of whole numbers from 1."
        )
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or tolerance < 0:
        raise InputError(f"--settings: tolerance is {tolerance!r}, expected a number from 0.")


def _names(first: Path, second: Path, entities: Path | None) -> Names | None:
    """The entities of --entities, or of a workspace that one of the runs lies in."""
    from muver.doctor.place import Place

    if entities is None:
        places = [Place.of(path) for path in (first, second)]
        found = [place.file("corpus", "entities.parquet") for place in places if place]
        entities = next((path for path in found if path), None)
    return None if entities is None else Names.read(entities, _worlds(first, second))


def _worlds(*paths: Path) -> list[str] | None:
    """Worlds of the runs that are ours; None if none is, and any world may occur."""
    from muver.runs.run import read_run

    ours = [path for path in paths if path.suffix == ".parquet" and path.is_file()]
    worlds = {w for path in ours for w in read_run(path)["world"].unique().to_pylist()}
    return sorted(worlds) or None


def _ours(sides: tuple[Side, Side]) -> bool:
    return all(side.form == "run" for side in sides)


def _shared(sides: tuple[Side, Side]) -> tuple[list[str], tuple[int, int]]:
    """Mentions of both runs, and how many each has alone."""
    own = [side.mentions for side in sides]
    have = [set(some) for some in own]
    shared = [mention for mention in own[0] if mention in have[1]]
    if not shared:
        raise InputError(
            f"{sides[0].path} and {sides[1].path} have no mention in common ({len(have[0])} and "
            f"{len(have[1])} mentions; {next(iter(own[0]), None)!r} and "
            f"{next(iter(own[1]), None)!r} come first): runs of other data or another split."
        )
    return shared, (len(have[0]) - len(shared), len(have[1]) - len(shared))


def _gold(
    sides: tuple[Side, Side],
    names: Names | None,
    qrels: Path | None,
    mentions: Path | None,
    match: str | None,
) -> tuple[dict[str, set[Any]], list[str]]:
    """The gold entities, from what was given or lies beside a run; how each run counts titles."""
    split = next(
        (s.manifest["settings"].get("split") for s in sides if s.manifest is not None), None
    )
    if mentions is None and qrels is None and names is not None:
        places = [side.place for side in sides if side.place is not None]
        found = [place.file("corpus", "mentions.parquet") for place in places]
        mentions = next((path for path in found if path), None)
    if mentions is None and qrels is None:
        beside = [side.path.with_suffix(".qrels") for side in sides if side.form == "trec"]
        qrels = next((path for path in beside if path.is_file()), None)
    if mentions is not None and qrels is not None:
        raise InputError("--mentions and --qrels both tell the gold entities: give one of them.")
    known = next((side.match for side in sides if side.match is not None), None)
    matches = [side.match or match or known or "title" for side in sides]
    return gold_of(qrels, mentions, names, split), matches


def _recall(
    sides: tuple[Side, Side],
    gold: dict[str, set[Any]],
    names: Names | None,
    matches: list[str],
    lists: tuple[dict, dict],
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Recall of both runs on the shared mentions, and the moves of the gold entities."""
    ids, first = gold_ranks(sides[0], gold, names, matches[0])
    place = {mention: n for n, mention in enumerate(ids)}
    own, other = gold_ranks(sides[1], gold, names, matches[1])
    second = np.zeros_like(first)
    second[[place[mention] for mention in own]] = other
    if not ids:
        return {}
    depth = min(side.depth for side in sides)
    world = dict(
        zip(*(sides[0].table[name].to_pylist() for name in ("mention_id", "world")), strict=True)
    )
    worlds = [world[mention] for mention in ids]
    none, unknown = [0] * len(ids), [None] * len(ids)
    tables = [
        ranks_table(ids, worlds, unknown, np.where(ranks > depth, 0, ranks), none, depth)
        for ranks in (first, second)
    ]
    cutoffs = sorted(k for k in set(settings["cutoffs"]) if k <= depth) or [depth]
    recall = [
        {str(k): 100 * float(((ranks >= 1) & (ranks <= k)).mean()) for k in cutoffs}
        for ranks in (first, second)
    ]
    moved = moves.compare_gold(ids, (first, second), lists, depth, settings["tolerance"])
    for move in moved:
        move["world"] = world[move["mention"]]
        move["gold"] = _title(gold[move["mention"]], names)
    return {
        "depth": depth,
        "recall": {
            "mentions": len(ids),
            "cutoffs": cutoffs,
            "first": recall[0],
            "second": recall[1],
            **paired(tables[1], tables[0], cutoffs, "mentions"),
        },
        "deeper": [int((ranks > depth).sum()) for ranks in (first, second)],
        "counts": moves.count_moves(moved, len(ids)),
        "moved": moved,
    }


def _title(gold: set[Any], names: Names | None) -> str:
    one = min(gold, key=str)
    if isinstance(one, tuple) and names is not None and one[0] in names.titles:
        return names.titles[one[0]][one[1]]
    return f"{one[0]}/{one[1]}" if isinstance(one, tuple) else one


def _describe(side: Side, match: str) -> dict[str, Any]:
    return {
        "file": side.path.as_posix(),
        "form": side.form,
        "mentions": len(side.mentions),
        "depth": side.depth,
        "match": match,
        "system": side.place.system if side.place else None,
        "notes": side.notes,
    }


def _distinct(damaged: list[dict[str, str]]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for damage in damaged:
        if damage not in found:
            found.append(damage)
    return found
