"""Words that a title shares with its mention: a retriever kind for the tests, as one adds it."""

from pathlib import Path
from typing import Any

from muver.io.typed import Settings as Base
from muver.retriever.retrieval.retrieval_settings import Run


class Section(Base):
    """Section ``overlap`` of params.yaml."""

    lower: bool


class Settings(Run, kw_only=True):
    """Section ``overlap``, and what every run has."""

    lower: bool


def retrieve(settings: Settings, run: Path, *, entities: Path, mentions: Path) -> dict[str, Any]:
    """Rank the entities of each mention's world by the number of words shared."""
    import numpy as np

    from muver.retriever.corpus.schema import read_mentions
    from muver.retriever.retrieval.exact import rank_scores
    from muver.retriever.retrieval.rows import Origins, RunRows

    def words(text: str) -> set[str]:
        return set((text.lower() if settings.lower else text).split())

    table = read_mentions(mentions, settings.split)
    rows = RunRows(entities, table, settings)
    for name in dict.fromkeys(table["world"].to_pylist()):
        own = [one for one in table.to_pylist() if one["world"] == name]
        world = rows.candidates(name)
        shared = [
            [len(words(one["mention"]) & words(title)) for title in world.titles] for one in own
        ]
        ranking = rank_scores(np.array(shared, dtype=np.float32), world.of, rows.k)
        none = np.full(len(world.titles), -1)
        ids = [one["mention_id"] for one in own]
        rows.add(world, ids, ranking, Origins(none, none, none))
    rows.write(run)
    return {"counts": None}
