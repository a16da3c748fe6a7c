"""What retriever kinds share: a run's rows, its mentions, and what a candidate is."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from muver.io.errors import InputError
from muver.io.parquet import table_of, write_table
from muver.io.progress import Progress
from muver.retriever.corpus.schema import read_entities
from muver.retriever.retrieval.exact import Ranking, rank_scores
from muver.retriever.retrieval.retrieval_settings import Run
from muver.retriever.runs.run import RUN
from muver.retriever.vectors.shards import first_with_same

# A run's codes for the origin of a view; n > 0 is the n-th layer of merging.
ORIGINAL, GLOBAL = 0, -2
SCORES_HELD = 16 * 2**20  # float32 scores of a block of mentions: 64 MB


class Origins(NamedTuple):
    """Where each view comes from, (views,) each."""

    layer: np.ndarray  # code of its origin; -1 for retrievers without views
    first: np.ndarray  # first and last sentence that it was made from
    last: np.ndarray


class Candidates(NamedTuple):
    """What may be found for the mentions of one world."""

    world: str
    titles: list[str]
    candidate_of: np.ndarray  # (entities,), as of :func:`candidates`
    documents: dict[str, int]  # the line number of each page, by its id


class MentionsOfWorld(NamedTuple):
    """The mentions of a world, and its entities, as the corpus's tables have them."""

    candidates: Candidates
    mentions: Sequence[Mapping[str, Any]]
    entities: Sequence[Mapping[str, Any]]

    def blocks(self, signals: int = 1) -> Iterator[Sequence[Mapping[str, Any]]]:
        """The mentions, as many at a time as may hold their scores by so many signals."""
        size = max(SCORES_HELD // (len(self.entities) * signals), 1)
        for start in range(0, len(self.mentions), size):
            yield self.mentions[start : start + size]


class RunRows:
    """Collects rankings world by world into a run file.

    A ranking needs ``k`` candidates: one more than the run where own pages are left out of it.
    """

    def __init__(self, entities: Path, mentions: pa.Table, settings: Run):
        self._entities, self._mentions, self._match = entities, mentions, settings.match
        self._order = mentions["mention_id"].to_pylist()
        self._pages = None
        if settings.own_page == "leave_out":
            self._pages = dict(zip(self._order, mentions["document"].to_pylist(), strict=True))
        self._most, self.k = settings.k, settings.k + (self._pages is not None)
        self._tables: list[pa.Table] = []
        self._ranked: set[str] = set()

    def __len__(self) -> int:
        return len(self._order)

    def candidates(self, world: str) -> Candidates:
        """The candidates of a world."""
        table = read_entities(self._entities, [world])
        titles = table["title"].to_pylist()
        documents = {id: number for number, id in enumerate(table["document_id"].to_pylist())}
        return Candidates(world, titles, candidates(titles, self._match), documents)

    def worlds(self, label: str) -> Iterator[MentionsOfWorld]:
        """The mentions world by world, with progress under a label."""
        worlds = np.array(self._mentions["world"].to_pylist(), dtype=object)
        progress = Progress(label, len(self), "mentions")
        for name in dict.fromkeys(worlds):
            mentions = self._mentions.take(np.flatnonzero(worlds == name)).to_pylist()
            entities = read_entities(self._entities, [name]).to_pylist()
            yield MentionsOfWorld(self.candidates(name), mentions, entities)
            progress.advance(len(mentions))
        progress.finish()

    def add_scores(self, found_in: Candidates, mention_ids: list[str], scores: np.ndarray) -> None:
        """Append rankings by (mentions, entities) scores of a world, of which no view is known."""
        no_views = np.full(len(found_in.candidate_of), -1)
        ranking = rank_scores(scores, found_in.candidate_of, self.k)
        self.add(found_in, mention_ids, ranking, Origins(no_views, no_views, no_views))

    def own_pages(self, found_in: Candidates, mention_ids: Sequence[str]) -> np.ndarray:
        """(mentions,) the entity that each mention stands on, if that is left out; or -1."""
        if self._pages is None:
            return np.full(len(mention_ids), -1)
        return np.array([found_in.documents.get(self._pages[id], -1) for id in mention_ids], int)

    def add(
        self, found_in: Candidates, mention_ids: list[str], ranking: Ranking, origins: Origins
    ) -> None:
        """Append one world's rankings; ``ranking.rows`` are positions in ``origins``."""
        pages, candidate_of = self.own_pages(found_in, mention_ids), found_in.candidate_of
        own_page = np.where(pages >= 0, candidate_of[pages], -1)
        kept = (ranking.entities >= 0) & (candidate_of[ranking.entities] != own_page[:, None])
        kept &= np.cumsum(kept, axis=1) <= self._most
        titles = pa.array(found_in.titles, pa.string()).take(pa.array(ranking.entities[kept]))
        views = Origins(*(column[ranking.rows[kept]] for column in origins))
        ids = pa.array(mention_ids, pa.string())
        self._tables.append(rows_of_run(ids, found_in.world, ranking, kept, titles, views))
        self._ranked.update(mention_ids)

    def write(self, path: Path) -> None:
        """Write the run file, in the mentions' order."""
        if strange := self._ranked ^ {*self._order}:
            raise InputError(
                f"mention {min(strange)!r} is not of the split, or has no vector: the vectors are "
                "of other mentions. Encode the split again."
            )
        table = pa.concat_tables(self._tables)
        places = pc.index_in(table["mention_id"], pa.array(self._order)).to_numpy()
        order = np.argsort(places, kind="stable")
        write_table(path, table.take(pa.array(order)).combine_chunks())


def rows_of_run(
    ids: pa.Array, world: str, ranking: Ranking, kept: np.ndarray, titles: pa.Array, views: Origins
) -> pa.Table:
    """A run's rows (:data:`RUN`) of a world's mentions, from those candidates that are ``kept``,
    (mentions, k) bool. ``titles`` and the winning ``views`` are of these, (kept,) each.
    """
    mentions, _ = np.nonzero(kept)
    columns = (
        ids.take(pa.array(mentions)),
        pa.repeat(world, len(mentions)),
        np.cumsum(kept, axis=1)[kept],
        ranking.entities[kept],
        titles,
        ranking.scores[kept],
        *views,
    )
    return table_of(RUN, columns)


def candidates(titles: list[str], match: str) -> np.ndarray:
    """The candidate of each entity: its own line number, or that of the first with its title.

    >>> candidates(["Fox", "Den", "Fox"], "title"), candidates(["Fox", "Den", "Fox"], "id")
    (array([0, 1, 0]), array([0, 1, 2]))
    """
    return first_with_same(titles) if match == "title" else np.arange(len(titles))
