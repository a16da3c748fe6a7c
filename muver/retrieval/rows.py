"""What all stages that make runs share: rows of the run file, and what a candidate is."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from muver.errors import InputError
from muver.evaluation.runs import write_run
from muver.retrieval.exact import Ranking, first_with_same

# Codes of a view's origin in runs; n > 0 is the n-th layer of merging.
ORIGINAL, GLOBAL, SPAN = 0, -2, -3


class Origins(NamedTuple):
    """Where each view comes from.

    Attributes
    ----------
    layer : (views,)
        Code of its origin; -1 where there are no views to speak of.
    first, last : (views,)
        Sentences that it was made from.
    """

    layer: np.ndarray
    first: np.ndarray
    last: np.ndarray


class RunRows:
    """Collects rankings world by world into the columns of a run file."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {
            name: []
            for name in (
                "mention_id", "world", "rank", "entity", "title", "score", "layer", "first", "last",
            )
        }  # fmt: skip

    def add(
        self,
        world: str,
        mention_ids: list[str],
        titles: list[str],
        ranking: Ranking,
        origins: Origins,
    ) -> None:
        """Append one world's rankings.

        Parameters
        ----------
        origins
            Of each row that ``ranking.rows`` points to.
        """
        columns = self._columns
        for row, mention in enumerate(mention_ids):
            kept = ranking.entities[row] >= 0
            entities, rows = ranking.entities[row][kept], ranking.rows[row][kept]
            columns["mention_id"].extend([mention] * len(entities))
            columns["world"].extend([world] * len(entities))
            columns["rank"].extend(range(1, len(entities) + 1))
            columns["entity"].extend(entities.tolist())
            columns["title"].extend(titles[entity] for entity in entities)
            columns["score"].extend(ranking.scores[row][kept].tolist())
            for name, column in origins._asdict().items():
                columns[name].extend(column[rows].tolist())

    def write(self, path: Path, mention_ids: list[str]) -> None:
        """Write the run file, its mentions in the order of ``mention_ids``."""
        place = {mention: number for number, mention in enumerate(mention_ids)}
        order = np.argsort([place[m] for m in self._columns["mention_id"]], kind="stable")
        write_run(path, **{n: [some[row] for row in order] for n, some in self._columns.items()})


def candidates(titles: list[str], match: str) -> np.ndarray:
    """The candidate each entity belongs to: its own, or that of its title."""
    if match not in ("title", "id"):
        raise InputError(f"match: {match!r} is not 'title' or 'id'.")
    return first_with_same(titles) if match == "title" else np.arange(len(titles))
