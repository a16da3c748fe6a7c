"""Measure how far an approximate index agrees with exact search, and the effort this takes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError
from muver.io.files import read_json, short_hash, write_json
from muver.io.progress import logger
from muver.retriever.retrieval.ann.index import MANIFEST, AnnIndex
from muver.retriever.retrieval.ann.search import search
from muver.retriever.retrieval.ann.settings import Check
from muver.retriever.retrieval.exact import Ranking, queries_of, rank_shards
from muver.retriever.runs.manifest import reached
from muver.retriever.vectors.part import Part
from muver.retriever.vectors.shards import Shards


def agreement(found: Ranking, exact: Ranking) -> dict[str, Any]:
    """Compare a ranking with the exact one of the same mentions and k.

    Returns ------- ``recall``: the mean over mentions of the share of the exact k entities that
    were found. ``best``, of the exact best entity: the shares of mentions for which it was
    ``found`` and ranks ``first``, its ``greatest_rank``, and the number of mentions for which it is
    ``missing``.
    """
    wanted = exact.entities >= 0
    same = (exact.entities[:, :, None] == found.entities[:, None, :]).any(axis=2) & wanted
    hit = found.entities == exact.entities[:, :1]
    ranks = np.where(hit.any(axis=1), hit.argmax(axis=1) + 1, 0)
    return {
        "recall": float((same.sum(axis=1) / wanted.sum(axis=1)).mean()),
        "best": {
            "found": float((ranks > 0).mean()),
            "first": float((ranks == 1).mean()),
            "greatest_rank": int(ranks.max()),
            "missing": int((ranks == 0).sum()),
        },
    }


def check(
    vectors: str | Path,
    index: Sequence[str | Path],
    mention_vectors: str | Path,
    settings: Check,
    report: str | Path | None = None,
) -> None:
    """Measure indices of a folder's shards (:func:`check_indices`); ``report`` is a JSON file."""
    shards = Shards(vectors)
    measured = check_indices(index, shards, queries_of(Part(mention_vectors), shards), settings)
    if report is not None:
        write_json(report, measured)


def check_indices(
    folders: Sequence[str | Path], shards: Shards, mentions: np.ndarray, settings: Check
) -> dict[str, dict[str, Any]]:
    """Measure indices of the same shards on the same sample of mentions, searched exactly once.

    Each index gets the smallest of ``efforts`` (nprobe or efSearch) that reaches ``agreement``
    (:func:`reached`), or the last one if none does. Its manifest records this effort and the
    measurements, which are also returned by folder. ``mentions`` is (mentions, d) float32.
    """
    if len(mentions) == 0:
        raise InputError("no mentions: agreement is measured on a sample of them.")
    opened = [Path(folder) for folder in folders]
    for folder in opened:  # refuse mistakes before the long search
        AnnIndex(folder, shards, gpu=False)
    sample = _sample(len(mentions), settings.mentions, settings.seed)
    queries = np.ascontiguousarray(mentions[sample], dtype=np.float32)
    exact = rank_shards(shards, queries, settings.k, settings.memory_mb, threads=settings.threads)
    written = {}
    for folder in opened:
        index = AnnIndex(folder, shards, settings.gpu, settings.threads)
        result = _measure(index, queries, exact, settings)
        manifest = read_json(folder / MANIFEST)
        write_json(folder / MANIFEST, {**manifest, "agreement": result})
        written[str(folder)] = result
    return written


def _measure(
    index: AnnIndex, queries: np.ndarray, exact: Ranking, settings: Check
) -> dict[str, Any]:
    k, tried = settings.k, []
    for effort in settings.efforts if index.knob else [None]:
        if effort is not None:
            index.turn(effort)
        options = settings.rescore, settings.most_views, settings.memory_mb
        found = search(index, queries, k, *options)
        tried.append({"effort": effort, **agreement(found.ranking, exact), "short": found.short})
        logger.info(
            "%s: recall of the exact %d is %.4f, of the best one %.4f%s",
            index.manifest["factory"], k, tried[-1]["recall"], tried[-1]["best"]["found"],
            f" at {index.knob} {effort}" if effort else "",
        )  # fmt: skip
        all_lists = bool(index.manifest["lists"]) and effort >= index.manifest["lists"]
        if reached(tried[-1]) >= settings.agreement or all_lists:
            break
    return {
        "k": k,
        "mentions": len(queries),
        "of": short_hash(queries.tobytes().hex()),
        "rescore": settings.rescore,
        "most_views": settings.most_views,
        "wanted": settings.agreement,
        "knob": index.knob,
        **tried[-1],
        "tried": tried,
    }


def _sample(mentions: int, size: int, seed: int) -> np.ndarray:
    """Sorted rows of at most ``size`` mentions."""
    if size >= mentions:
        return np.arange(mentions)
    return np.sort(np.random.default_rng(seed).choice(mentions, size, replace=False))
