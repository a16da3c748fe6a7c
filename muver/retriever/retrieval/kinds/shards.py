"""Search a knowledge base in shards: millions of entities, ranked exactly or by an index."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from muver.io.typed import Count, Share, Text
from muver.retriever.retrieval.aggregates import AGGREGATES
from muver.retriever.retrieval.retrieval_settings import Scored

if TYPE_CHECKING:
    from muver.retriever.retrieval.ann.index import AnnIndex
    from muver.retriever.vectors.shards import Shards


class Settings(Scored, kw_only=True):
    """How shards or an index of them are searched."""

    split: Text | None
    match: Literal["id"]  # titles are not compared at this size
    k: Count
    rescore: bool  # whether views that an index finds are scored again by their vectors
    most_views: Count  # that it may find for a mention
    effort: Count | None  # nprobe or efSearch; None for what the index's check chose
    minimum: Share | None  # the least agreement with exact search; None for any
    threads: Count
    memory_mb: Count
    gpu: bool
    # One that scores an entity by its own views alone.
    aggregate: Literal[tuple(name for name, kind in AGGREGATES.items() if kind.alone)] = "max"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.choice:
            raise ValueError(f"{self.choice} has several values, and a knowledge base needs one.")
        if self.aggregate != "max" and not self.rescore:
            raise ValueError(
                f"the aggregate {self.aggregate} is made of all views of an entity, which an index "
                "does not find. Set rescore to true."
            )


def needs(run: Mapping[str, Any]) -> tuple[str, ...]:
    """Vectors of the knowledge base and of the mentions, and the row's index if it names one."""
    index = ("index",) if run.get("index") else ()
    return "kb", "vectors", "mentions", "mention_vectors", *index


def retrieve(
    settings: Settings,
    run: Path,
    *,
    kb: Path,
    vectors: Path,
    mentions: Path,
    mention_vectors: Path,
    index: Path | None = None,
) -> dict[str, Any]:
    """Rank a knowledge base's entities for the mentions of a set, exactly if there is no index.

    In the run the world is "wikipedia", and ``first`` and ``last`` both number the winning view
    among its entity's views, from 0.
    """
    import numpy as np
    import pyarrow as pa

    from muver.io.files import sha256_of
    from muver.io.parquet import write_table
    from muver.io.progress import logger
    from muver.io.text import counted
    from muver.retriever.corpus.knowledge_base import KnowledgeBase
    from muver.retriever.corpus.schema import WIKIPEDIA
    from muver.retriever.retrieval.ann.search import search, short
    from muver.retriever.retrieval.exact import queries_of, rank_shards
    from muver.retriever.retrieval.rows import ORIGINAL, Origins, rows_of_run
    from muver.retriever.vectors.part import Part
    from muver.retriever.vectors.shards import Shards

    base, shards, part = KnowledgeBase(kb), Shards(vectors), Part(mention_vectors)
    queries, aggregate = queries_of(part, shards), settings.scorer
    more: dict[str, Any] = {}
    if index is None:
        ranking = rank_shards(
            shards, queries, settings.k, settings.memory_mb, aggregate, settings.threads
        )
    else:
        opened = _open(index, shards, settings)
        ranking = search(
            opened, queries, settings.k, settings.rescore, settings.most_views, settings.memory_mb,
            aggregate,
        )  # fmt: skip
        more = {
            "index": opened.manifest["factory"],
            "built": opened.manifest["settings"],
            "agreement": opened.manifest["agreement"],
            "found": {"short": short(ranking, shards.entities)},
        }
    kept = ranking.entities >= 0
    # An entity's title is read once, however many mentions it was found for.
    numbers, inverse = np.unique(ranking.entities[kept], return_inverse=True)
    titles = base.rows(numbers, ["title"])["title"].take(pa.array(inverse)).combine_chunks()
    _, places = shards.locate(ranking.rows[kept])
    origins = Origins(np.full(len(places), ORIGINAL), places, places)
    ids = part.rows()["mention_id"].combine_chunks()
    write_table(run, rows_of_run(ids, WIKIPEDIA, ranking, kept, titles, origins))
    inputs = {
        "model": shards.model,
        "kb": base.manifest["fingerprint"],
        "table": sha256_of(mentions),
    }
    counts = {"entities": shards.entities, "views": shards.views}
    compared = counted(len(queries), "mention"), counted(shards.views, "view")
    logger.info("%s against %s", *compared)
    return {"stage": "ann-search", "inputs": inputs, "counts": counts, **more}


def _open(folder: Path, shards: "Shards", settings: Settings) -> "AnnIndex":
    """Open the index and set its effort: as the settings say, or as its check chose."""
    from muver.io.errors import InputError
    from muver.retriever.retrieval.ann.index import MANIFEST, AnnIndex
    from muver.retriever.runs.manifest import require

    opened = AnnIndex(folder, shards, settings.gpu, settings.threads)
    agreed = opened.manifest["agreement"]
    effort = agreed and agreed["effort"] if settings.effort is None else settings.effort
    if settings.minimum is not None:
        place = folder / MANIFEST
        require(place, opened.manifest["factory"], agreed, settings.k, settings.minimum)
        wanted = {"rescore": settings.rescore, "most_views": settings.most_views, "effort": effort}
        if other := [key for key, value in wanted.items() if value != agreed[key]]:
            raise InputError(
                f"{place}: agreement was measured with other values of {', '.join(other)}. Search "
                "with those, run `muver stage ann-check` with these, or set minimum to null for a "
                "run that is no table's source."
            )
    if effort is not None:
        opened.turn(effort)
    return opened
