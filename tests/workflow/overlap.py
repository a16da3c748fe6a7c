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
    from muver.retriever.retrieval.rows import RunRows

    def words(text: str) -> set[str]:
        return set((text.lower() if settings.lower else text).split())

    rows = RunRows(entities, read_mentions(mentions, settings.split), settings)
    for world in rows.worlds("sharing words"):
        titles, ids = world.candidates.titles, [one["mention_id"] for one in world.mentions]
        shared = [
            [len(words(one["mention"]) & words(title)) for title in titles]
            for one in world.mentions
        ]
        rows.add_scores(world.candidates, ids, np.array(shared, dtype=np.float32))
    rows.write(run)
    return {"counts": None}
