"""The evaluate stage: score a run and write its evaluation, gold ranks and TREC files."""

from pathlib import Path

import pyarrow.compute as pc
from msgspec.structs import asdict

from muver.io.errors import InputError
from muver.io.files import read_json, sha256_of, write_json
from muver.io.progress import logger
from muver.retriever.evaluation.gold import gold_of_kb, gold_of_worlds
from muver.retriever.evaluation.precision import reduced_precision
from muver.retriever.evaluation.ranks import ranks_table, write_ranks
from muver.retriever.evaluation.recall import gold_ranks, own_page_first, scored
from muver.retriever.evaluation.records import Evaluation
from muver.retriever.evaluation.settings import Scoring
from muver.retriever.runs.approximate import index_of, require
from muver.retriever.runs.chosen import chosen_of
from muver.retriever.runs.run import read_run
from muver.retriever.runs.trec import write_trec
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
    encoder: Path | None = None,
    choice: Path | None = None,
    trec: bool = False,
) -> None:
    """Score a run on a set; write its evaluation and, next to it, the ranks of the gold entities.

    Recall is over the mentions whose gold entity is in the knowledge base ("In-KB", section 3.2 of
    the paper). ``outside`` counts the others; worlds have none.

    Parameters
    ----------
    name
        The set: a split of the dataset, or a benchmark over its knowledge base.
    mentions, entities, sentences, counts
        For worlds: files of the corpus and segment stages
        (:func:`muver.retriever.evaluation.gold.gold_of_worlds`).
    mentions, kb, report
        For a knowledge base: its folder, and files of ``muver stage link``
        (:func:`muver.retriever.evaluation.gold.gold_of_kb`).
    out
        JSON file for the evaluation. The ranks get the same name with ``.parquet``
        (:mod:`muver.retriever.evaluation.ranks`).
    encoder
        Manifest of the start encoder. Its identity (for a directory the hash of its weights)
        becomes part of the settings of a row that has a model.
    choice
        If the row's model is the best of several: its training log, which says which one.
    trec
        Also write the run and the gold entities in TREC's formats, with the suffixes ``.run`` and
        ``.qrels`` (:mod:`muver.retriever.runs.trec`).
    """
    beside = out.with_suffix(".parquet")
    if beside in (run, out):
        raise InputError(f"--out {out}: its ranks would overwrite {beside}. Rename it.")
    if entities and sentences and counts and not (kb or report):
        gold = gold_of_worlds(dataset, name, entities, mentions, sentences, counts)
    elif kb and report and not (entities or sentences or counts):
        gold = gold_of_kb(name, kb, mentions, report)
    else:
        raise InputError(
            "give --entities, --sentences and --counts for worlds, or --kb and --report for a "
            "knowledge base."
        )
    row, cutoffs = settings.row, settings.cutoffs
    if encoder is not None and "model" in row:
        row = {**row, "encoder": read_json(encoder)["identity"]}
    manifest = read_json(run_manifest)
    made = manifest["settings"]
    if cutoffs[-1] > made["k"]:
        raise InputError(
            f"{run}: holds {made['k']} candidates a mention, recall@{cutoffs[-1]} needs "
            f"{cutoffs[-1]}. Raise retrieve.k, or leave the cutoff out."
        )
    if "index" in manifest:
        agreed = manifest["agreement"]
        require(run, manifest["index"], agreed, cutoffs[-1], settings.agreement)

    ranked = read_run(run, gold.mentions["mention_id"].to_pylist())
    short = (manifest.get("found") or {}).get("short", 0)
    try:
        left_out = made.get("own_page") == "leave_out"
        ranks = gold_ranks(
            ranked, gold.mentions, gold.titles, made["match"], made["k"], gold.sizes, short,
            gold.own_pages >= 0 if left_out else None,
        )  # fmt: skip
    except InputError as error:
        raise InputError(f"{run}: {error}") from None
    inside = gold.mentions["gold"].is_valid()
    on_pages = (gold.own_pages >= 0).any()
    own = own_page_first(ranked, gold.mentions, gold.own_pages, gold.titles, made["match"])
    table, here = gold.mentions.filter(inside), inside.to_numpy()
    if trec:
        scored_rows = pc.is_in(ranked["mention_id"], table["mention_id"].combine_chunks())
        write_trec(
            out.with_suffix(""),
            system,
            ranked.filter(scored_rows),
            table,
            gold.titles,
            made["match"],
        )
    ids, worlds, documents = (table[key].to_pylist() for key in ("mention_id", "world", "document"))
    ranked_gold = ranks_table(ids, worlds, documents, ranks[here], gold.lengths[here], made["k"])
    write_ranks(beside, ranked_gold)
    scores = scored(ranked_gold, cutoffs, settings.resample)
    views = manifest.get("counts")
    evaluation = Evaluation(
        system=system,
        dataset=dataset,
        set=name,
        fingerprint=gold.fingerprint,
        identified_as=gold.identified_as,
        kb=gold.kb,
        outside=gold.mentions["gold"].null_count,
        matched_by_title=gold.matched_by_title,
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
        own_page_first=int(own[here].sum()) if on_pages else None,
        **asdict(scores),
    )
    write_json(out, evaluation)
    last = cutoffs[-1]
    logger.info(
        "%s on %s: recall@%d %.2f%% over %d mentions (mean of worlds: %.2f%%); %d more have their "
        "gold outside", system, name, last, scores.micro[last], len(ids), scores.macro[last],
        evaluation.outside,
    )  # fmt: skip
