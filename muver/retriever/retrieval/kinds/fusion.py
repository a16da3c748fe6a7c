"""Fusion: one run made of other systems' runs, by their ranks or by their scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import field

from muver.io.typed import Count, Positive, Share, Some
from muver.retriever.retrieval.settings import Run


class Settings(Run, kw_only=True):
    """How runs are fused.

    Attributes
    ----------
    kind, constant
        "reciprocal_rank" with the constant that is added to ranks.
    weights, cutoff
        "weighted", for two runs: the weights of the first to try on validation, and the rank up to
        which a gold entity is a hit there. Manifests have both for either kind.
    parts
        The systems that made the runs.
    """

    kind: Literal["reciprocal_rank", "weighted"]
    constant: Positive = 60
    weights: Some[Share] = field(default_factory=lambda: [n / 10 for n in range(11)])
    cutoff: Count = 64
    parts: list[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "weighted" and self.cutoff > self.k:
            raise ValueError(
                f"cutoff is {self.cutoff}, expected 1 to {self.k}, the candidates that are kept."
            )


def needs(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The other systems' runs; those on validation too if a weight is chosen."""
    more = ("validation_runs",) if row["by"] == "weighted" else ()
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
    """Make one run of several; gold entities are used on validation only.

    A candidate's view is that of the first run that ranks it. Every ranked candidate counts by its
    rank, even one that BM25 gives a score of 0.
    """
    from muver.io.files import write_manifest
    from muver.io.progress import logger
    from muver.retriever.retrieval.choice import validation_pool
    from muver.retriever.retrieval.fusion import (
        choose_weight,
        reciprocal_rank,
        weighted,
        write_fused,
    )
    from muver.retriever.retrieval.pool import pool_runs, read_collection
    from muver.retriever.retrieval.rows import mentions_of_split

    _check_runs(settings, len(runs), len(validation_runs))
    chosen = None
    if settings.kind == "weighted":
        pool, gold = validation_pool(entities, mentions, settings.match, validation_runs)
        chosen = choose_weight(pool, gold, settings.weights, settings.cutoff)
        logger.info("weight of %s: %s", settings.parts[0], chosen["weight"])
    collection = read_collection(
        entities, mentions_of_split(mentions, settings.split), settings.match
    )
    pool = pool_runs(runs, collection)
    if chosen is None:
        scores = reciprocal_rank(pool.ranks, settings.constant)
    else:
        scores = weighted(pool.scores, chosen["weight"])
    write_fused(run, collection, pool, scores, settings.k)
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=None, chosen=chosen)
    logger.info("%d mentions, %d candidates fused", len(collection.mention_ids), len(scores))


def _check_runs(settings: Settings, runs: int, validation_runs: int) -> None:
    from muver.io.errors import InputError

    if len(settings.parts) != runs or runs < 2:
        raise InputError(
            f"--settings: parts names {len(settings.parts)} systems, --runs has {runs} files: "
            "fusion needs two or more, and a name for each."
        )
    if settings.kind == "reciprocal_rank" and validation_runs:
        raise InputError("--validation-runs: reciprocal_rank chooses nothing; leave them out.")
    if settings.kind == "weighted" and (runs, validation_runs) != (2, 2):
        raise InputError(
            f"--runs has {runs} files, --validation-runs {validation_runs}: weighted fusion needs "
            "two of each, of the same systems."
        )
