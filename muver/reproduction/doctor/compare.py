"""Two runs of the same mentions: how far they are apart, and what of their making differs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.errors import InputError
from muver.io.files import read_json
from muver.io.typed import fields, flat
from muver.reproduction.doctor import ranks
from muver.reproduction.doctor.entities import Entities
from muver.reproduction.doctor.runs import Run, read_runs
from muver.retriever.encoders.settings import Encoding
from muver.retriever.runs.manifest import chosen_of

CUTOFFS = (1, 2, 4, 8, 16, 32, 50, 64)
Difference = dict[str, Any]  # name, first and second: the values, None where a run has no such key


def compare(
    first: Path,
    second: Path,
    entities: Path | None = None,
    mentions: Path | None = None,
    qrels: Path | None = None,
) -> dict[str, Any]:
    """Compare two run files, ours (Parquet) or TREC's; the report, as JSON has it.

    ``entities`` and ``mentions`` are the corpus' tables, by default of the workspace that a run
    lies in, and ``qrels`` a TREC file of the gold entities, by default the one beside a run.
    ``found`` says whether the rankings differ by more than ties.
    """
    runs, known = read_runs((first, second), entities)
    a, b = (run.ranked for run in runs)
    shared = [mention for mention in a if mention in b]
    if not shared:
        raise InputError(
            f"{first} and {second} have no mention in common: runs of other data or another split."
        )
    alone = [len(own) - len(shared) for own in (a, b)]
    depth = min(run.depth for run in runs)
    orders = {mention: ranks.compare_lists(a[mention], b[mention], depth) for mention in shared}
    matches = [run.settings.get("match") for run in runs]
    matches = [match or matches[0] or matches[1] or "title" for match in matches]
    gold = _gold(runs, known, qrels, mentions)
    gold = {mention: gold[mention] for mention in shared if mention in gold}
    found = [
        ranks.gold_ranks(run, gold, known, match) for run, match in zip(runs, matches, strict=True)
    ]
    moved = ranks.compare_gold(*found, depth)
    for move in moved:
        one = min(gold[move["mention"]], key=str)
        named = known.titles.get(one) if known else None
        move["gold"] = named or (one if isinstance(one, str) else "/".join(map(str, one)))
    kinds = Counter(orders.values())
    beyond_ties = kinds["changed"] or any(orders[move["mention"]] != "ties" for move in moved)
    return {
        "runs": [
            {
                "file": run.path.as_posix(),
                "mentions": len(run.ranked),
                "depth": run.depth,
                "match": match,
                "notes": run.notes,
            }
            for run, match in zip(runs, matches, strict=True)
        ],
        "shared": {"mentions": len(shared), "only_first": alone[0], "only_second": alone[1]},
        "lists": {kind: kinds[kind] for kind in ("same", "ties", "changed")},
        **(_recall(found, moved, depth) if found[0] else {}),
        "unknown": [run.manifest is None for run in runs],
        "settings": differing_settings(runs),
        "data": differing_data(runs),
        "found": bool(beyond_ties or any(alone)),
    }


def _gold(
    runs: Sequence[Run], entities: Entities | None, qrels: Path | None, mentions: Path | None
) -> ranks.Gold:
    """The gold entities, from what was given or lies beside a run."""
    if mentions is None and qrels is None and entities is not None:
        found = (run.origin.file("corpus", "mentions.parquet") for run in runs if run.origin)
        mentions = next(filter(None, found), None)
    if mentions is None and qrels is None:
        beside = (run.path.with_suffix(".qrels") for run in runs)
        qrels = next((path for path in beside if path.is_file()), None)
    split = next((run.settings.get("split") for run in runs if run.manifest is not None), None)
    return ranks.read_gold(qrels, mentions, entities, split)


def _recall(found: list[ranks.Ranks], moved: list[dict[str, Any]], depth: int) -> dict[str, Any]:
    """Recall of both runs on the shared mentions, and the moves of the gold entities."""
    cutoffs = [k for k in CUTOFFS if k <= depth] or [depth]
    recall = [
        {k: 100 * sum(1 <= rank <= k for rank in own.values()) / len(own) for k in cutoffs}
        for own in found
    ]
    kinds = Counter(move["kind"] for move in moved)
    return {
        "depth": depth,
        "recall": {
            "mentions": len(found[0]),
            "first": recall[0],
            "second": recall[1],
            "difference": {k: recall[1][k] - recall[0][k] for k in cutoffs},
        },
        "counts": {
            "same": len(found[0]) - len(moved),
            **{kind: kinds[kind] for kind in ("up", "down", "found", "lost")},
        },
        "moved": moved,
    }


def differing_settings(runs: Sequence[Run]) -> list[Difference]:
    """Settings that differ.

    They are the rows' whole settings, which row keys are made from: these leave out threads and
    memory. Where a run has no evaluation, they are those of both manifests.
    """
    rows = [run.origin and run.origin.evaluation for run in runs]
    if all(rows):
        made = [dict(row.get("settings", {})) for row in rows if row]
    else:
        made = [{"retrieve": run.settings} for run in runs]
    for own, run in zip(made, runs, strict=True):
        own.pop("system", None)  # what a row is called
        if chosen := chosen_of(run.manifest or {}):
            own["chosen"] = {chosen.setting: chosen.value}
    return _differences(*made)


def differing_data(runs: Sequence[Run]) -> list[Difference]:
    """Data, versions and machines that differ, as far as they are known of both runs."""
    found = _differences(*map(_data, runs))
    return [one for one in found if None not in (one["first"], one["second"])]


def _data(run: Run) -> dict[str, Any]:
    facts = {key: (run.manifest or {}).get(key) for key in ("muver", "inputs", "counts")}
    if run.origin and (row := run.origin.evaluation):
        facts |= {key: row.get(key) for key in ("dataset", "fingerprint")}
    for kind in ("stores", "merged"):
        if run.origin and (manifest := run.origin.file(kind, "manifest.json")):
            settings = read_json(manifest)["settings"]
            facts[kind] = {key: settings[key] for key in fields(Encoding) if key in settings}
    return facts


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Difference]:
    a, b = dict(flat(first)), dict(flat(second))
    return [
        {"name": name, "first": a.get(name), "second": b.get(name)}
        for name in {**a, **b}
        if a.get(name) != b.get(name)
    ]
