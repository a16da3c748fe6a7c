"""Measure how far an approximate index agrees with exact search, and the effort this takes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import field

from muver.io.errors import InputError
from muver.io.files import write_json
from muver.io.progress import logger
from muver.io.typed import Count, Natural, Settings, Share, Some
from muver.retriever.retrieval.ann.index import MANIFEST, AnnIndex, Build, build, read_manifest
from muver.retriever.retrieval.ann.search import search, short
from muver.retriever.retrieval.exact import Ranking, queries_of, rank_shards
from muver.retriever.runs.manifest import reached
from muver.retriever.vectors.part import Part
from muver.retriever.vectors.shards import Shards


class Check(Settings):
    """How an index is measured."""

    k: Count
    agreement: Share  # the first of the efforts with at least this one is chosen
    rescore: bool
    most_views: Count
    memory_mb: Count
    seed: Natural
    threads: Count
    mentions: Count = 1000  # size of the sample
    # Values of nprobe or efSearch.
    efforts: Some[Count] = field(default_factory=lambda: [2**power for power in range(4, 13)])
    gpu: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.efforts != sorted(self.efforts):
            raise ValueError(f"efforts is {self.efforts}, expected increasing numbers.")


class BuildAndCheck(Settings):
    """How an index is made for a table's rows."""

    build: Build
    check: Check


def build_and_check(
    vectors: str | Path,
    mention_vectors: str | Path,
    out: str | Path,
    report: str | Path,
    settings: BuildAndCheck,
) -> None:
    """Build a faiss index of the views of a knowledge base, and choose its nprobe or efSearch.

    In one job, as the choice is written into the index's manifest.
    """
    build(vectors, out, settings.build)
    check(vectors, [out], mention_vectors, settings.check, report)


def check(
    vectors: str | Path,
    index: Sequence[str | Path],
    mention_vectors: str | Path,
    settings: Check,
    report: str | Path | None = None,
) -> None:
    """Compare indices with exact search on a sample, and choose their nprobe or efSearch.

    All are measured on the same mentions, which are searched exactly once.

    Each index gets the smallest of ``efforts`` (nprobe or efSearch) that reaches ``agreement``, or
    the last one if none does. Its manifest records this effort and the measurements, and
    ``report``, a JSON file, those of all indices by folder.
    """
    shards = Shards(vectors)
    mentions = queries_of(Part(mention_vectors), shards)
    if len(mentions) == 0:
        raise InputError("no mentions: agreement is measured on a sample of them.")
    for folder in index:  # one that was not built is told before the long search
        read_manifest(folder)
    random, size = np.random.default_rng(settings.seed), min(settings.mentions, len(mentions))
    sample = np.sort(random.choice(len(mentions), size, replace=False))
    queries = mentions[sample]
    exact = rank_shards(shards, queries, settings.k, settings.memory_mb, threads=settings.threads)
    measured = {}
    for folder in map(Path, index):
        built = AnnIndex(folder, shards, settings.gpu, settings.threads)
        agreement = measured[str(folder)] = _measure(built, queries, exact, settings)
        write_json(folder / MANIFEST, {**built.manifest, "agreement": agreement})
    if report is not None:
        write_json(report, measured)


def agreement(found: Ranking, exact: Ranking) -> dict[str, Any]:
    """Compare a ranking with the exact one of the same mentions and k.

    ``recall`` is the mean over mentions of the share of the exact k entities that were found,
    ``best`` the shares of mentions for which the exact best one was ``found`` and ranks ``first``.
    """
    wanted = exact.entities >= 0
    same = (exact.entities[:, :, None] == found.entities[:, None, :]).any(axis=2) & wanted
    hit = found.entities == exact.entities[:, :1]
    return {
        "recall": float((same.sum(axis=1) / wanted.sum(axis=1)).mean()),
        "best": {"found": float(hit.any(axis=1).mean()), "first": float(hit[:, 0].mean())},
    }


def _measure(
    index: AnnIndex, queries: np.ndarray, exact: Ranking, settings: Check
) -> dict[str, Any]:
    k, tried = settings.k, []
    for effort in settings.efforts if index.knob else [None]:
        if effort is not None:
            index.turn(effort)
        found = search(index, queries, k, settings.rescore, settings.most_views, settings.memory_mb)
        missing = short(found, index.shards.entities)
        tried.append({"effort": effort, **agreement(found, exact), "short": missing})
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
        "rescore": settings.rescore,
        "most_views": settings.most_views,
        "knob": index.knob,
        **tried[-1],
        "tried": tried,
    }
