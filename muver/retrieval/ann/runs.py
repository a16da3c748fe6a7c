"""Runs of the Wikipedia sets: their mentions' entities from shards, exact or by an index."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from muver.corpus.kilt.lookup import KnowledgeBase
from muver.corpus.schema import WIKIPEDIA
from muver.io.errors import InputError
from muver.io.files import sha256_of, write_manifest
from muver.io.progress import logger
from muver.retrieval.ann.check import require
from muver.retrieval.ann.flat import search_exact
from muver.retrieval.ann.index import AnnIndex
from muver.retrieval.ann.search import search
from muver.retrieval.ann.settings import SEARCH, check
from muver.retrieval.exact import Ranking
from muver.retrieval.rows import ORIGINAL
from muver.runs.run import write_run
from muver.vectors.mentions import read_mentions
from muver.vectors.shards import Shards


def retrieve(
    vectors: str | Path,
    index: str | Path | None,
    kb: str | Path,
    mentions: str | Path,
    mention_vectors: str | Path,
    run: str | Path,
    manifest: str | Path,
    settings: Mapping[str, Any],
) -> None:
    """Rank a knowledge base's entities for the mentions of a set, and write the run.

    Parameters
    ----------
    vectors
        Folder of the shards.
    index
        Folder of an index of them; None searches exactly.
    kb
        Folder of the knowledge base, for the titles.
    mentions
        Parquet with ``mention_id``, in the order of ``mention_vectors``.
    mention_vectors
        (mentions, d) .npy of these mentions and the shards' model, as `muver encode-mentions`
        writes it.
    settings
        Those of :data:`muver.retrieval.ann.settings.SEARCH`.

    Raises
    ------
    InputError
        If something belongs to other data, or the index's agreement is below ``minimum``.
    """
    settings = check(settings, SEARCH)
    base = KnowledgeBase(kb)
    shards = Shards(vectors, base.manifest)
    ids = _mention_ids(mentions)
    queries = read_mentions(mention_vectors, shards, mentions)
    if len(ids) != len(queries):
        raise InputError(
            f"{mention_vectors}: {len(queries)} vectors, {mentions} has {len(ids)} mentions: they "
            "belong to different sets. Encode the mentions again."
        )
    k, more = settings["k"], {}
    if index is None:
        ranking = search_exact(shards, queries, k, settings["memory_mb"])
    else:
        opened, agreed = _open(index, shards, settings)
        more = {"index": opened.manifest["factory"], "built": opened.manifest["settings"]}
        more["agreement"] = agreed
        options = settings["rescore"], settings["most_views"], settings["memory_mb"]
        found = search(opened, queries, k, *options)
        ranking = found.ranking
        more["found"] = {"rounds": found.rounds, "fetched": found.fetched, "short": found.short}
    write(run, ids, ranking, shards, base)
    write_manifest(
        manifest,
        "ann-search",
        settings,
        {
            "model": shards.model,
            "vectors": shards.fingerprint,
            "kb": base.manifest["fingerprint"],
            "mentions": sha256_of(mention_vectors),
            "table": sha256_of(mentions),
        },
        counts={"entities": shards.entities, "views": shards.views},
        **more,
    )
    logger.info("%d mentions against %d views", len(queries), shards.views)


def write(
    path: str | Path, ids: pa.Array, ranking: Ranking, shards: Shards, base: KnowledgeBase
) -> None:
    """Write a ranking as a run of world "wikipedia".

    A view is written as its place among the entity's: ``first`` and ``last``, from 0.

    Parameters
    ----------
    ids : (mentions,) string
    """
    rows, ranks = np.nonzero(ranking.entities >= 0)
    entities = ranking.entities[rows, ranks]
    places = shards.locate(ranking.rows[rows, ranks])[1]
    # An entity's title is read once, however many mentions it was found for.
    numbers, inverse = np.unique(entities, return_inverse=True)
    titles = base.rows(numbers, ["title"])["title"].take(pa.array(inverse))
    write_run(
        path,
        mention_id=ids.take(pa.array(rows)),
        world=pa.repeat(WIKIPEDIA, len(rows)),
        rank=ranks + 1,
        entity=entities,
        title=titles.combine_chunks(),
        score=ranking.scores[rows, ranks],
        layer=np.full(len(rows), ORIGINAL),
        first=places,
        last=places,
    )


def _open(
    folder: str | Path, shards: Shards, settings: Mapping[str, Any]
) -> tuple[AnnIndex, dict[str, Any] | None]:
    """The index with its knob turned, and its agreement with exact search where that holds."""
    opened = AnnIndex(folder, shards, settings["gpu"], settings["threads"])
    agreed, minimum = opened.manifest["agreement"], settings["minimum"]
    if minimum is not None:
        require(folder, opened.manifest, settings["k"], minimum)
        same = {key: settings[key] for key in ("rescore", "most_views")}
        same["effort"] = agreed["effort"] if settings["effort"] is None else settings["effort"]
        for key, value in same.items():
            if value != agreed[key]:
                raise InputError(
                    f"--settings: {key} is {value!r}, but agreement was measured with "
                    f"{agreed[key]!r}. Search with that, run `muver ann-check` with this one, or "
                    "set minimum to null for a run that is no table's source."
                )
    effort = settings["effort"] if settings["effort"] is not None else (agreed or {}).get("effort")
    if effort is not None:
        opened.turn(effort)
    return opened, agreed


def _mention_ids(path: str | Path) -> pa.Array:
    try:
        column = pq.read_table(path, columns=["mention_id"], partitioning=None)["mention_id"]
    except (FileNotFoundError, pa.ArrowInvalid) as error:
        raise InputError(f"{path}: missing or damaged ({error}). Read the set again.") from None
    return column.combine_chunks()
