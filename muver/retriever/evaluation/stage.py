"""The evaluate stage: score a run and write its evaluation, gold ranks and TREC files.

A run is of a set of mentions: a split of a dataset of worlds (ZESHEL's test and val), with
candidates from the mention's own world, or a benchmark over one knowledge base (AIDA, MSNBC,
WNED-WIKI), with every entity of Wikipedia as a candidate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import asdict

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, short_hash, write_json
from muver.io.parquet import write_table
from muver.io.progress import logger
from muver.io.text import counted
from muver.retriever.corpus.schema import (
    read_entities,
    read_linked_mentions,
    read_mentions,
    read_sentences,
)
from muver.retriever.corpus.statistics import read_counts
from muver.retriever.evaluation.recall import ranks_table, scored
from muver.retriever.evaluation.records import Evaluation, KnowledgeBase, Scoring, reduced_precision
from muver.retriever.runs.gold import gold_ranks, ranks_of
from muver.retriever.runs.manifest import chosen_of, index_of, require
from muver.retriever.runs.run import read_run, write_trec
from muver.retriever.training.log import chosen_model


def evaluate(
    system: str,
    dataset: str,
    name: str,
    run: Path,
    run_manifest: Path,
    mentions: Path,
    out: Path,
    settings: Scoring,
    entities: Path | None = None,
    sentences: Path | None = None,
    counts: Path | None = None,
    kb: Path | None = None,
    report: Path | None = None,
    encoder: Sequence[Path] = (),
    choice: Path | None = None,
    trec: bool = False,
) -> None:
    """Score a run: recall@k and its intervals, ranks of the gold entities, TREC files.

    The ranks lie beside the evaluation.

    Recall is over the mentions whose gold entity is in the knowledge base ("In-KB", section 3.2 of
    the paper). ``outside`` counts the others; worlds have none.

    Parameters
    ----------
    name
        The set: a split of the dataset, or a benchmark over its knowledge base.
    mentions, entities, sentences, counts
        For worlds: files of the corpus and segment stages.
    mentions, kb, report
        For a knowledge base: its folder, and files of ``muver stage link``.
    out
        JSON file for the evaluation. The ranks get the same name with ``.parquet``
        (:mod:`muver.retriever.evaluation.recall`).
    encoder
        Manifests of the start encoders of a row's models. Their identities (for a directory the
        hash of its weights) become part of its settings.
    choice
        If the row's model is the best of several: its training log, which says which one.
    trec
        Also write the run and the gold entities in TREC's formats, with the suffixes ``.run`` and
        ``.qrels`` (:mod:`muver.retriever.runs.run`).
    """
    beside = out.with_suffix(".parquet")
    if beside in (run, out):
        raise InputError(f"--out {out}: its ranks would overwrite {beside}. Rename it.")
    if entities and sentences and counts:
        gold = gold_of_worlds(name, entities, mentions, sentences, counts)
    elif kb and report:
        gold = gold_of_kb(kb, mentions, report)
    else:
        raise InputError(
            "give --entities, --sentences and --counts for worlds, or --kb and --report for a "
            "knowledge base."
        )
    row, cutoffs = settings.row, settings.cutoffs
    if encoder:
        first, *further = (read_json(manifest)["identity"] for manifest in encoder)
        row = {**row, "encoder": first, **({"further_encoders": further} if further else {})}
    manifest = read_json(run_manifest)
    of_run = manifest["settings"]
    if cutoffs[-1] > of_run["k"]:
        raise InputError(
            f"{run}: holds {of_run['k']} candidates a mention, recall@{cutoffs[-1]} needs "
            f"{cutoffs[-1]}. Raise retrieve.k, or leave the cutoff out."
        )
    if "index" in manifest:
        agreed = manifest["agreement"]
        require(run, manifest["index"], agreed, cutoffs[-1], settings.agreement)
    ranked = read_run(run, gold.mentions["mention_id"].to_pylist())
    ranks = gold_ranks(ranked, gold.mentions, gold.titles, of_run["match"])
    inside = gold.mentions["gold"].is_valid()
    on_pages = (gold.own_pages >= 0).any()
    ranks_of_pages = ranks_of(gold.own_pages, ranked, gold.mentions, gold.titles, of_run["match"])
    table, here = gold.mentions.filter(inside), inside.to_numpy()
    if trec:
        scored_rows = pc.is_in(ranked["mention_id"], table["mention_id"].combine_chunks())
        inside_rows = ranked.filter(scored_rows)
        write_trec(out.with_suffix(""), system, inside_rows, table, gold.titles, of_run["match"])
    ids, worlds, documents = (table[key].to_pylist() for key in ("mention_id", "world", "document"))
    ranked_gold = ranks_table(ids, worlds, documents, ranks[here], gold.lengths[here], of_run["k"])
    write_table(beside, ranked_gold)
    scores = scored(ranked_gold, cutoffs, settings.resample)
    views = manifest.get("counts")
    evaluation = Evaluation(
        system=system,
        dataset=dataset,
        set=name,
        outside=gold.mentions["gold"].null_count,
        settings=row,
        precision=reduced_precision(row),
        cutoffs=cutoffs,
        resample=settings.resample,
        views_per_entity=views and views["views"] / views["entities"],
        index=index_of(manifest),
        chosen=chosen_of(manifest),
        model_chosen=choice and chosen_model(choice, row),
        model=manifest.get("inputs", {}).get("model"),
        run_sha256=sha256_of(run),
        own_page_first=int((ranks_of_pages[here] == 1).sum()) if on_pages else None,
        **gold.known,
        **asdict(scores),
    )
    write_json(out, evaluation)
    recall = "  ".join(f"R@{cutoff} {scores.micro[cutoff]:.2f}" for cutoff in cutoffs)
    more = f"; {evaluation.outside} more have their gold outside" if evaluation.outside else ""
    logger.info("%s on %s, %s: %s%s", system, name, counted(len(ids), "mention"), recall, more)


@dataclass(frozen=True)
class Gold:
    """The mentions of a set with their gold entities."""

    mentions: pa.Table  # gold is null for entities outside the knowledge base
    lengths: np.ndarray  # (mentions,) int64 sentences of each gold's description; 0 if unknown
    titles: Mapping[str, list[str]]  # of each world; none for a base, where numbers decide
    own_pages: np.ndarray  # (mentions,) int64 entity that a mention stands on, or -1
    known: dict[str, Any]  # what an :class:`Evaluation` tells of them and of the data


def gold_of_worlds(
    name: str, entities: Path, mentions: Path, sentences: Path, counts: Path
) -> Gold:
    """The gold entities of the split ``name``, from files of the corpus and segment stages."""
    known = read_counts(counts)
    table = read_mentions(mentions, name)
    worlds, gold = np.array(table["world"].to_pylist(), object), table["gold"].to_numpy()
    titles, places, lengths = {}, {}, np.zeros(len(gold), dtype=np.int64)
    for world in sorted(set(worlds)):
        of_world = read_entities(entities, [world])  # one at a time, as it holds the descriptions
        titles[world] = of_world["title"].to_pylist()
        places |= {(world, id): n for n, id in enumerate(of_world["document_id"].to_pylist())}
        counted_up = pc.list_value_length(read_sentences(sentences, [world])["sentences"])
        inside = worlds == world
        lengths[inside] = counted_up.to_numpy()[gold[inside]]
    documents = zip(worlds, table["document"].to_pylist(), strict=True)
    own_pages = np.array([places.get(document, -1) for document in documents])
    of_data = {"fingerprint": known.fingerprint, "identified_as": known.identified_as}
    return Gold(table, lengths, titles, own_pages, {**of_data, "kb": None, "matched_by_title": 0})


def gold_of_kb(kb: Path, mentions: Path, report: Path) -> Gold:
    """The gold entities of a benchmark, from ``mentions`` and ``report`` of ``muver stage link``.

    Only the manifest of the knowledge base is read, so memory does not grow with its size.
    """
    base, linked = read_json(kb / "manifest.json"), read_json(report)
    table = read_linked_mentions(mentions)
    if table["gold"].null_count == table.num_rows:
        raise InputError(f"{mentions}: no mention has its gold in the knowledge base.")
    fingerprint = short_hash(
        {
            "kb": base["fingerprint"],
            "mentions": linked["inputs"]["mentions"],
            **{key: linked["settings"][key] for key in ("context_tokens", "match")},
        },
        16,
    )
    of_data = {
        "fingerprint": fingerprint,
        "identified_as": base["identified_as"],
        "kb": KnowledgeBase(base["entities"], base["fingerprint"]),
        "matched_by_title": linked["matched"]["title"],
    }
    none = np.zeros(table.num_rows, dtype=np.int64)
    return Gold(table, none, {}, none - 1, of_data)
