"""The evaluate stage: a run and what it should have found, to evaluation, ranks and TREC files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from muver.corpus.schema import read_entities, read_mentions
from muver.evaluation.bootstrap import recall_intervals
from muver.evaluation.lengths import gold_sentences
from muver.evaluation.precision import reduced_precision
from muver.evaluation.ranks import clusters, ranks_table, write_ranks
from muver.evaluation.recall import gold_ranks, summarise
from muver.io.checking import did_you_mean, with_defaults
from muver.io.errors import InputError
from muver.io.files import canonical_json, read_json, sha256_of, write_json
from muver.io.progress import logger
from muver.runs.run import read_run
from muver.runs.trec import write_trec

CUTOFFS = [1, 2, 4, 8, 16, 32, 50, 64]  # the paper's, table 1
RESAMPLE = ("documents", "mentions")


def evaluate(
    system: str,
    dataset: str,
    run: Path,
    run_manifest: Path,
    entities: Path,
    mentions: Path,
    sentences: Path,
    counts: Path,
    out: Path,
    settings: dict[str, Any],
    encoder: Path | None = None,
    trec: Path | None = None,
) -> None:
    """Score a run; write its evaluation and, beside it, the ranks of the gold entities.

    Parameters
    ----------
    sentences
        sentences.parquet of the segment stage, for the length of the gold descriptions.
    out
        The evaluation, JSON, whose ``precision`` tells what was not computed in fp32; the ranks
        get the same name with ``.parquet`` (:mod:`muver.evaluation.ranks`).
    settings
        ``cutoffs`` (the k of recall@k), ``resample`` (``documents`` or ``mentions``: the units
        that intervals treat as independent), ``row`` (all settings of the table's row; its
        ``retrieve`` section must be what the run was made with).
    encoder
        Manifest of the start encoder. Its identity (for a directory the hash of its weights, not
        where it lay) joins the settings of a row that has a model.
    trec
        Folder for the run and the gold entities in TREC's formats (:mod:`muver.runs.trec`);
        None writes none.

    Raises
    ------
    InputError
        If the run does not fit the data or the row: nothing is scored by mistake.
    """
    beside = ranks_beside(out, run)
    settings = with_defaults(settings, {"cutoffs": CUTOFFS, "resample": RESAMPLE[0], "row": None})
    row, cutoffs = read_row(settings["row"], encoder), settings["cutoffs"]
    manifest = read_json(run_manifest)
    made = manifest["settings"]
    check_settings(run, made, row["retrieve"])
    check_cutoffs(run, cutoffs, made["k"])
    known = read_json(counts)
    if known["dataset"] != dataset:
        raise InputError(f"{counts}: counts of {known['dataset']!r}, expected {dataset!r}.")

    table = read_mentions(mentions, made["split"])
    if table.num_rows == 0:
        raise InputError(f"{mentions}: no mentions in split {made['split']!r}: nothing to score.")
    if table.num_rows != known["mentions"][made["split"]]:
        raise InputError(
            f"{mentions}: {table.num_rows} mentions in split {made['split']!r}, {counts} counts "
            f"{known['mentions'][made['split']]}: files of different runs. Run the corpus stage."
        )
    ids, worlds = table["mention_id"].to_pylist(), table["world"].to_pylist()
    ranked = read_run(run, ids)
    titles = {
        # One world at a time: the table also holds the descriptions.
        world: read_entities(entities, [world])["title"].to_pylist()
        for world in sorted(set(worlds))
    }
    try:
        ranks = gold_ranks(ranked, table, titles, made["match"], made["k"])
    except InputError as error:
        raise InputError(f"{run}: {error}") from None
    lengths = gold_sentences(sentences, table)
    if trec is not None:
        write_trec(trec, system, ranked, table, titles, made["match"])
    documents = table["document"].to_pylist()
    ranked_gold = ranks_table(ids, worlds, documents, ranks, lengths, made["k"])
    write_ranks(beside, ranked_gold)
    scores = scored(ranked_gold, cutoffs, settings["resample"])
    write_json(
        out,
        {
            "system": system,
            "dataset": dataset,
            **{key: known[key] for key in ("fingerprint", "identified_as")},
            "split": made["split"],
            "settings": row,
            "precision": reduced_precision(row),
            "cutoffs": cutoffs,
            "resample": settings["resample"],
            **scores,
            "views_per_entity": views_per_entity(manifest.get("counts")),
            "run_sha256": sha256_of(run),  # tells a run that was changed after it was scored
        },
    )
    last = str(cutoffs[-1])
    logger.info(
        "%s: recall@%s %.2f%% over %d mentions (mean of %d worlds: %.2f%%)",
        system, last, scores["micro"][last], len(ranks), len(titles), scores["macro"][last],
    )  # fmt: skip


def ranks_beside(out: Path, run: Path) -> Path:
    """Where the ranks of an evaluation lie; refused where they would replace another file."""
    beside = out.with_suffix(".parquet")
    if beside in (run, out):
        raise InputError(f"--out {out}: the ranks beside it would replace {beside}. Rename it.")
    return beside


def read_row(row: Any, encoder: Path | None) -> dict[str, Any]:
    """Check the settings of a row; one that has a model gets the start encoder's identity."""
    if not isinstance(row, dict) or not isinstance(row.get("retrieve"), dict):
        raise InputError("--settings: row.retrieve must hold the settings of the retrieve stage.")
    if encoder is not None and "model" in row:
        return {**row, "encoder": read_json(encoder)["identity"]}
    return row


def scored(table: pa.Table, cutoffs: Sequence[int], resample: str) -> dict[str, Any]:
    """Recall at each cutoff, as :func:`muver.evaluation.recall.summarise` has it, with intervals.

    Parameters
    ----------
    table
        Of :func:`muver.evaluation.ranks.ranks_table`.
    resample
        ``documents`` or ``mentions``: the units that intervals treat as independent.
    """
    if resample not in RESAMPLE:
        raise InputError(
            f"--settings: resample is {resample!r}, expected one of {', '.join(RESAMPLE)}."
            f"{did_you_mean(str(resample), RESAMPLE)}"
        )
    ranks, worlds = table["rank"].to_numpy(), table["world"].to_pylist()
    summary = summarise(ranks, worlds, cutoffs)
    interval = recall_intervals(ranks, worlds, clusters(table, resample), cutoffs)
    for world, own in interval.pop("worlds").items():
        summary["worlds"][world]["interval"] = own
    return {**summary, "interval": interval}


def views_per_entity(counts: dict[str, Any] | None) -> float | None:
    """The mean number of views an entity; None for a run that has no views.

    Parameters
    ----------
    counts
        Of a run's manifest: ``entities`` and ``views`` of the split's worlds, or None.
    """
    return None if counts is None else counts["views"] / counts["entities"]


def check_settings(run: Path, made: dict[str, Any], asked: dict[str, Any]) -> None:
    """Refuse a run that was not made with the settings asked for.

    A setting of the run that the row does not name (memory, devices) is free.
    """
    for key, value in asked.items():
        if key not in made or canonical_json(made[key]) != canonical_json(value):
            raise InputError(
                f"{run}: a results file from other parameters: made with {key} = "
                f"{made.get(key, 'unset')!r}, asked for {value!r}. Run the retrieve stage again."
            )


def check_cutoffs(run: Path, cutoffs: list[int], k: int) -> None:
    """Refuse cutoffs that are not increasing numbers from 1 to the number of candidates."""
    if not cutoffs or any(type(cutoff) is not int for cutoff in cutoffs):
        raise InputError(f"--settings: cutoffs must be a list of whole numbers, not {cutoffs!r}.")
    if cutoffs[0] < 1 or cutoffs != sorted(set(cutoffs)):
        raise InputError(f"--settings: cutoffs must increase from at least 1, not {cutoffs!r}.")
    if cutoffs[-1] > k:
        raise InputError(
            f"{run}: holds {k} candidates a mention, recall@{cutoffs[-1]} needs "
            f"{cutoffs[-1]}. Raise retrieve.k, or leave the cutoff out."
        )
