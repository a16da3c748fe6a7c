"""BM25: match words of the mention with words of title and description."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET, UnsetType

from muver.io.typed import Count, Text
from muver.retriever.retrieval.settings import BM25, Match, OwnPage

Section = BM25
SCORES_HELD = 16 * 2**20  # float32 scores of a block of mentions: 64 MB


class Settings(BM25, kw_only=True):
    """The section ``bm25``, with the settings that every run has."""

    split: Text
    k: Count
    match: Match
    own_page: OwnPage | UnsetType = UNSET


def needs(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Texts only."""
    return "entities", "mentions"


def retrieve(
    settings: Settings, run: Path, manifest: Path, *, entities: Path, mentions: Path
) -> None:
    """Rank the entities of each mention's world.

    Ties, and mentions that have only unknown words, are decided by the entities' order in the
    world.
    """
    import numpy as np

    from muver.io.files import write_manifest
    from muver.io.progress import Progress
    from muver.retriever.corpus.schema import read_entities
    from muver.retriever.retrieval.bm25 import BM25 as Scorer
    from muver.retriever.retrieval.bm25 import document, query
    from muver.retriever.retrieval.exact import rank_scores
    from muver.retriever.retrieval.rows import Origins, RunRows, mentions_of_split

    table = mentions_of_split(mentions, settings.split)
    rows = RunRows(entities, table, settings)
    progress = Progress("ranking", table.num_rows, "mentions")
    worlds = np.array(table["world"].to_pylist(), dtype=object)
    for name in dict.fromkeys(worlds):
        own = table.take(np.flatnonzero(worlds == name)).to_pylist()
        world = read_entities(entities, [name]).to_pylist()
        found_in = rows.candidates(name)
        scorer = Scorer(
            [document(entity, settings.document_tokens) for entity in world],
            settings.k1,
            settings.b,
            settings.method,
            settings.stopwords,
        )
        no_views = np.full(len(world), -1)
        block = max(SCORES_HELD // len(world), 1)
        for start in range(0, len(own), block):
            part = own[start : start + block]
            scores = scorer.scores([query(mention, settings.query) for mention in part])
            ranking = rank_scores(scores, found_in.of, rows.k)
            ids = [mention["mention_id"] for mention in part]
            rows.add(found_in, ids, ranking, Origins(no_views, no_views, no_views))
            progress.advance(len(part))
    progress.finish()
    rows.write(run)
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=None)
