"""BM25: match words of the mention with words of title and description."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from muver.io.typed import Count, Text
from muver.retriever.retrieval.settings import BM25, Match

Section = BM25
SCORES_HELD = 16 * 2**20  # float32 scores of a block of mentions: 64 MB


class Settings(BM25):
    """The section ``bm25``, with the settings that every run has."""

    split: Text
    k: Count
    match: Match


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
    from muver.retriever.retrieval.rows import Origins, RunRows, candidates, mentions_of_split

    table = mentions_of_split(mentions, settings.split)
    rows = RunRows()
    progress = Progress("ranking", table.num_rows, "mentions")
    worlds = np.array(table["world"].to_pylist(), dtype=object)
    for name in dict.fromkeys(worlds):
        own = table.take(np.flatnonzero(worlds == name)).to_pylist()
        world = read_entities(entities, [name]).to_pylist()
        titles = [entity["title"] for entity in world]
        scorer = Scorer(
            [document(entity, settings.document_tokens) for entity in world],
            settings.k1,
            settings.b,
            settings.method,
            settings.stopwords,
        )
        candidate_of = candidates(titles, settings.match)
        no_views = np.full(len(world), -1)
        block = max(SCORES_HELD // len(world), 1)
        for start in range(0, len(own), block):
            part = own[start : start + block]
            scores = scorer.scores([query(mention, settings.query) for mention in part])
            ranking = rank_scores(scores, candidate_of, settings.k)
            ids = [mention["mention_id"] for mention in part]
            rows.add(name, ids, titles, ranking, Origins(no_views, no_views, no_views))
            progress.advance(len(part))
    progress.finish()
    rows.write(run, table["mention_id"].to_pylist())
    write_manifest(manifest, "retrieve", settings.as_dict(), {}, counts=None)
