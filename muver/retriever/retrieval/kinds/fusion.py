"""Fusion: one run made of other systems' runs, by their ranks or by their scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import field

from muver.io.typed import Count, Positive, Share, Some
from muver.retriever.retrieval.settings import Run


class Settings(Run, kw_only=True):
    """How runs are fused. Manifests have the settings of both kinds."""

    kind: Literal["reciprocal_rank", "weighted"]
    constant: Positive = 60  # that is added to ranks
    # Of the first of two runs, to try on validation, and the rank that counts as a hit there.
    weights: Some[Share] = field(default_factory=lambda: [n / 10 for n in range(11)])
    cutoff: Count = 64


def needs(run: Mapping[str, Any]) -> tuple[str, ...]:
    """The other systems' runs, and those over validation mentions if these give a weight."""
    more = ["validation_runs"] if run["kind"] == "weighted" else []
    return "entities", "mentions", "runs", *more


def retrieve(
    settings: Settings,
    run: Path,
    manifest: Path,
    *,
    entities: Path,
    mentions: Path,
    runs: Sequence[Path],
    validation_runs: Sequence[Path] = (),
) -> None:
    """Make one run of several; gold entities are used for the weight alone.

    A candidate's view is that of the first run that ranks it. Every ranked candidate counts by its
    rank, even one that BM25 gives a score of 0.
    """
    from muver.io.errors import InputError
    from muver.io.files import write_manifest
    from muver.io.progress import logger
    from muver.retriever.retrieval import pool

    chosen = None
    if settings.kind == "weighted":
        if (len(runs), len(validation_runs)) != (2, 2):
            raise InputError(
                f"--runs has {len(runs)} files, --validation-runs {len(validation_runs)}: "
                "weighted fusion needs two of each, of the same systems."
            )
        own, gold = pool.validation_pool(entities, mentions, settings.match, validation_runs)
        chosen = pool.choose_weight(own, gold, settings.weights, settings.cutoff)
        logger.info("weight of the first run: %s", chosen["weight"])
    collection = pool.read_collection(entities, mentions, settings.split, settings.match)
    pooled = pool.pool_runs(runs, collection)
    if chosen is None:
        scores = pool.reciprocal_rank(pooled.ranks, settings.constant)
    else:
        scores = pool.weighted(pooled.scores, chosen["weight"])
    pool.write_fused(run, collection, pooled, scores, settings.k)
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=None, chosen=chosen)
    logger.info("%d mentions, %d candidates fused", len(collection.mention_ids), len(scores))
