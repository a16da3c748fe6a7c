"""In-KB evaluation: a run on a linked set, whose gold may lie outside the knowledge base.

Recall is over the mentions whose gold entity is in the knowledge base (section 3.2 of the paper,
"KB: Wikipedia"); the others are counted. Entities match by number. Nothing is read of the knowledge
base but its manifest, so memory does not grow with it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.corpus.schema import read_linked_mentions
from muver.evaluation.precision import reduced_precision
from muver.evaluation.ranks import ranks_table, write_ranks
from muver.evaluation.stage import (
    RESAMPLE,
    check_cutoffs,
    check_settings,
    ranks_beside,
    read_row,
    scored,
    views_per_entity,
)
from muver.io.checking import with_defaults
from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, short_hash, write_json
from muver.io.progress import logger
from muver.runs.approximate import check_agreement, index_of
from muver.runs.run import best_ranks, mentions_of_rows, read_run
from muver.runs.trec import write_trec

KB = ("entities", "fingerprint", "identified_as")  # read of a knowledge base's manifest
CUTOFFS = [10, 30, 100]  # the paper's, table 2
DEFAULTS: dict[str, Any] = {
    "cutoffs": CUTOFFS,
    "resample": RESAMPLE[0],
    "row": None,
    "agreement": 0.995,  # with exact search, that an index needs to be a table's source
}


def evaluate_linked(
    system: str,
    dataset: str,
    name: str,
    run: Path,
    run_manifest: Path,
    kb: Path,
    mentions: Path,
    report: Path,
    out: Path,
    settings: Mapping[str, Any],
    encoder: Path | None = None,
    trec: Path | None = None,
) -> None:
    """Score a run of ``muver ann-search`` on a set; write its evaluation and the gold ranks.

    The evaluation has the form of :func:`muver.evaluation.stage.evaluate`, with the set as dataset
    and only world: ``mentions`` are those inside the knowledge base. With them stand
    ``mentions_in_all``, ``outside_kb`` and ``matched_by_title`` (inside, found by title only);
    ``kb`` with the ``dataset`` it is of, its ``entities`` and ``fingerprint``; the fingerprint of
    the ``model``; and ``index``, what an approximate one is and how far it agrees with exact
    search, or None.

    Parameters
    ----------
    dataset
        What knowledge base and sets belong to, such as ``wikipedia``.
    name
        The set.
    kb
        Folder of the knowledge base.
    mentions, report
        What ``muver link`` wrote of the set.
    out
        The evaluation, JSON; the ranks get the same name with ``.parquet``, their column
        ``sentences`` being 0: not counted.
    settings
        Those of :data:`DEFAULTS`. ``row`` holds all settings of the table's row: ``retrieve`` those
        of the run, the set apart, and ``index``, if it is there, None for exact search or those
        that the index was built with.
    encoder
        Manifest of the start encoder, as of ``evaluate``.
    trec
        Folder for the run and the gold entities, of mentions inside, in TREC's formats.

    Raises
    ------
    InputError
        If run, set, knowledge base and row do not belong together, or if the run was made with an
        index that agrees less than ``agreement`` with exact search or was not checked.
    """
    beside = ranks_beside(out, run)
    settings = with_defaults(settings, DEFAULTS)
    row, cutoffs = _without_split(read_row(settings["row"], encoder)), settings["cutoffs"]
    manifest = read_json(run_manifest)
    if manifest.get("stage") != "ann-search":
        raise InputError(f"{run_manifest}: not the manifest of a run of `muver ann-search`.")
    made = manifest["settings"]
    check_settings(run, made, row["retrieve"])
    check_cutoffs(run, cutoffs, made["k"])
    base, linked = _read_base(kb), read_json(report)
    _check_belongs(name, run, manifest, mentions, report, linked, base)
    check_agreement(run, manifest, row, cutoffs[-1], settings["agreement"])

    table = read_linked_mentions(mentions)
    counted = _count(mentions, table, report, linked)
    ids = table["mention_id"].to_pylist()
    ranked = read_run(run, ids)
    short = (manifest.get("found") or {}).get("short", 0)
    mention_of = mentions_of_rows(ranked, ids)
    _check_run(run, ranked, mention_of, len(ids), made["k"], base["entities"], short)

    gold = table["gold"].fill_null(-1).to_numpy()
    ranks = best_ranks(
        ranked, mention_of, ranked["entity"].to_numpy() == gold[mention_of], len(ids)
    )
    inside = gold >= 0
    if trec is not None:
        write_trec(
            trec, system, ranked.filter(pa.array(inside[mention_of])),
            table.filter(pa.array(inside)), {}, "id",
        )  # fmt: skip
    own_ids, own_ranks = table["mention_id"].filter(pa.array(inside)), ranks[inside]
    documents = table["document"].filter(pa.array(inside)).combine_chunks()
    worlds = [name] * len(own_ranks)
    zeros = np.zeros(len(own_ranks), dtype=np.int32)
    ranked_gold = ranks_table(
        own_ids.combine_chunks(), worlds, documents, own_ranks, zeros, made["k"]
    )
    write_ranks(beside, ranked_gold)
    scores = scored(ranked_gold, cutoffs, settings["resample"])
    write_json(
        out,
        {
            "system": system,
            "dataset": name,
            "fingerprint": _fingerprint(base, linked),
            "identified_as": base["identified_as"],
            "split": name,
            "settings": row,
            "precision": reduced_precision(row),
            "cutoffs": cutoffs,
            "resample": settings["resample"],
            **scores,
            "views_per_entity": views_per_entity(manifest.get("counts")),
            "run_sha256": sha256_of(run),
            **counted,
            "kb": {"dataset": dataset, **{k: base[k] for k in ("entities", "fingerprint")}},
            "model": manifest["inputs"]["model"],
            "index": index_of(manifest),
        },
    )
    last = str(cutoffs[-1])
    logger.info(
        "%s on %s: In-KB recall@%s %.2f%% over %d mentions; %d more have their gold outside",
        system, name, last, scores["micro"][last], len(own_ranks), counted["outside_kb"],
    )  # fmt: skip


def _without_split(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row's settings, the same for all sets."""
    retrieve = {key: value for key, value in row["retrieve"].items() if key != "split"}
    return {**row, "retrieve": retrieve}


def _read_base(kb: Path) -> dict[str, Any]:
    manifest = read_json(kb / "manifest.json")
    if not isinstance(manifest, dict) or not {*KB} <= manifest.keys():
        raise InputError(f"{kb / 'manifest.json'}: not that of a knowledge base. Run `muver kb`.")
    return manifest


def _check_belongs(
    name: str,
    run: Path,
    manifest: Mapping[str, Any],
    mentions: Path,
    report: Path,
    linked: Mapping[str, Any],
    base: Mapping[str, Any],
) -> None:
    """Refuse a run, or a set, of another set or another knowledge base."""
    for path, found in ((run, manifest["settings"]["split"]), (report, linked.get("set"))):
        if found != name:
            raise InputError(f"{path}: of the set {found!r}, expected {name!r}.")
    for path, inputs in ((run, manifest["inputs"]), (report, linked["inputs"])):
        if inputs["kb"] != base["fingerprint"]:
            raise InputError(
                f"{path}: made with another knowledge base ({inputs['kb'][:12]}) than that of "
                f"--kb ({base['fingerprint'][:12]}). Make it again."
            )
    if manifest["inputs"].get("table") != sha256_of(mentions):
        raise InputError(
            f"{run}: made for another table of mentions than {mentions}. Encode the mentions and "
            "run `muver ann-search` again."
        )


def _count(
    mentions: Path, table: pa.Table, report: Path, linked: Mapping[str, Any]
) -> dict[str, int]:
    """Mentions in all, those outside the knowledge base, and those matched by title only."""
    kinds = {
        kind: pc.sum(pc.equal(table["matched"], kind)).as_py() or 0 for kind in linked["matched"]
    }
    outside = table["gold"].null_count
    if (
        kinds != linked["matched"]
        or outside != kinds["none"]
        or table.num_rows != linked["mentions"]
    ):
        raise InputError(
            f"{mentions}: has {table.num_rows} mentions matched {kinds}, {report} counts "
            f"{linked['mentions']} matched {linked['matched']}: files of different calls. Run "
            "`muver link` again."
        )
    if outside == table.num_rows:
        raise InputError(f"{mentions}: no mention has its gold in the knowledge base.")
    return {
        "mentions_in_all": table.num_rows,
        "outside_kb": outside,
        "matched_by_title": kinds["title"],
    }


def _check_run(
    path: Path,
    run: pa.Table,
    mention_of: np.ndarray,
    mentions: int,
    k: int,
    entities: int,
    short: int,
) -> None:
    """Refuse a run that is cut short, or whose entities are not the knowledge base's.

    ``short``: mentions for which an index is known to have found fewer candidates than k.
    """
    found = run["entity"].to_numpy()
    if len(found) and not 0 <= found.min() <= found.max() < entities:
        raise InputError(f"{path}: has entities outside 0 to {entities - 1}: not those of --kb.")
    sizes = np.bincount(mention_of, minlength=mentions)
    fewer = int((sizes < min(k, entities)).sum())
    if fewer != short or (sizes > k).any():
        raise InputError(
            f"{path}: {fewer} of {mentions} mentions have fewer than {min(k, entities)} "
            f"candidates, its manifest says {short}: it is cut short, or not the manifest's. Run "
            "`muver ann-search` again."
        )


def _fingerprint(base: Mapping[str, Any], linked: Mapping[str, Any]) -> str:
    """Of knowledge base and set: what is linked, to what, with how much context."""
    return short_hash(
        {
            "kb": base["fingerprint"],
            "mentions": linked["inputs"]["mentions"],
            **{key: linked["settings"][key] for key in ("context_tokens", "match")},
        },
        16,
    )
