"""Fusion: one run made of other systems' runs, by their ranks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from muver.io.typed import Positive
from muver.retriever.retrieval.retrieval_settings import Run


class Settings(Run, kw_only=True):
    """What every run has, and the constant that is added to ranks."""

    constant: Positive = 60


def needs(run: Mapping[str, Any]) -> tuple[str, ...]:
    """The other systems' runs."""
    return "entities", "mentions", "runs"


def retrieve(
    settings: Settings,
    run: Path,
    manifest: Path,
    *,
    entities: Path,
    mentions: Path,
    runs: Sequence[Path],
) -> None:
    """Make one run of several.

    A candidate's view is that of the first run that ranks it. Every ranked candidate counts by its
    rank, even one that BM25 gives a score of 0.
    """
    from muver.io.files import write_manifest
    from muver.io.progress import logger
    from muver.io.text import counted
    from muver.retriever.retrieval import pool

    collection = pool.read_collection(entities, mentions, settings.split, settings.match)
    pooled = pool.pool_runs(runs, collection)
    scores = pool.reciprocal_rank(pooled.ranks, settings.constant)
    pool.write_fused(run, collection, pooled, scores, settings.k)
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=None)
    asked = counted(len(collection.mention_ids), "mention")
    logger.info("%s, %s fused", asked, counted(len(scores), "candidate"))
