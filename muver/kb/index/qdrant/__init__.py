"""An index whose entities are in Qdrant: model and settings are here, the rest is asked for."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from muver.io.parquet import row_groups
from muver.io.progress import Progress
from muver.kb.index.calibration import read_calibration
from muver.kb.index.changes import Change
from muver.kb.index.entity import EntityViews
from muver.kb.index.machinery import Machinery
from muver.kb.index.open_index import OpenIndex
from muver.kb.index.qdrant.collection import About, Address, Points, check, content_of
from muver.kb.index.search import decided, exactly, longest, slack
from muver.kb.index.segments import check as check_segment
from muver.kb.index.snapshot import Snapshot, Store
from muver.kb.index.state import SEGMENTS, read_state
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.answers import Candidate, Mention

SPARE = 8  # points more than are wanted, so that it is seen where equal scores end
POINTS_AT_ONCE = 256  # that are fetched with their vectors
NUMBERS_AT_ONCE = 500_000  # of vectors in a request; Qdrant takes 32 MB of JSON by default
KEYS_AT_ONCE = 10_000


class Collected(Points, Store):
    """The entities of a collection; those pushed meanwhile are found, but not new worlds."""

    def __init__(self, address: Address, machinery: Machinery):
        super().__init__(address, machinery.state)
        self.machinery, self._metric = machinery, machinery.state.model.metric
        self._about = self.about()
        self.generation = self._about.generation

    def ranked(
        self, mentions: Sequence[Mention], world: str | None, k: int, excerpts: bool = False
    ) -> list[list[Candidate]]:
        vectors = self.machinery.mentions(mentions)
        step, found = max(POINTS_AT_ONCE // k, 1), []
        for start in range(0, len(vectors), step):
            some = vectors[start : start + step]
            possible = self._possible(some, world, k)
            known = self.views_of({key for own in possible for key in own})
            for vector, own in zip(some, possible, strict=True):
                there = {key: known[key] for key in own if key in known}
                found.append(self._best(vector, there, k, excerpts) if there else [])
        return found

    def _possible(self, vectors: np.ndarray, world: str | None, k: int) -> list[list[int]]:
        """Keys of the entities that may be among the best of each mention, equal ones with them."""
        room = slack(vectors, self._about.longest, self._metric)
        found: list[list[int]] = [[] for _ in vectors]
        asked, limit = np.arange(len(vectors)), k + SPARE
        while len(asked):
            open_ones = []
            answers = self.near(vectors[asked], world, limit)
            for row, (keys, scores) in zip(asked.tolist(), answers, strict=True):
                least = scores[k - 1] - room[row] if len(keys) > k else -np.inf
                found[row] = [key for key, one in zip(keys, scores, strict=True) if one >= least]
                if len(found[row]) == limit:  # there may be more
                    open_ones.append(row)
            asked, limit = np.array(open_ones, dtype=np.int64), 4 * limit
        return found

    def _best(
        self, mention: np.ndarray, entities: dict[int, EntityViews], k: int, excerpts: bool
    ) -> list[Candidate]:
        candidates = []
        for key, one in entities.items():
            (score,), (view,) = decided(one.vectors, mention[None], MAX, self._metric)
            (similar,) = exactly(one.vectors, mention[None], self._metric)
            shown = one.shown(int(view), similar)
            candidates.append(one.candidate(key, float(score), shown, excerpts))
        candidates.sort(key=lambda one: (-one.score, one.world, one.document_id))
        return candidates[:k]


class QdrantIndex(OpenIndex):
    """Ranks the entities that `muver index push` brought to Qdrant.

    Of the index's folder it takes the state, the model and the calibration, so where many machines
    ask, its segments need not lie on each. It changes nothing: change the index and push it.
    """

    fixed = "an index in Qdrant"
    _store: Collected

    @classmethod
    def open(cls, folder: str | Path, where: str) -> "QdrantIndex":
        """Open an index whose entities are in the collection at a URL."""
        state = read_state(folder)
        folder = Path(folder).absolute()
        check(state, folder)
        return cls._of(Address.read(where, folder), Machinery(folder, state))

    def refresh(self) -> "QdrantIndex":
        """The index as the last push left it; this object if there was none."""
        newest = self._of(self._store.address, self._store.machinery)
        # Of an index made anew the generation may be the same.
        states = [(one._store._about, one._store.worlds, one.calibration) for one in (self, newest)]
        return self if states[0] == states[1] else newest

    @classmethod
    def _of(cls, address: Address, machinery: Machinery) -> "QdrantIndex":
        calibration = read_calibration(machinery.folder, machinery.state.fingerprint)
        return cls(Collected(address, machinery), calibration)


def push(snapshot: Snapshot, where: str) -> Change:
    """Bring a collection of Qdrant to the entities of an index: what is new or has changed goes
    there, and no more.

    Whoever asks meanwhile may see a part of the change. A push that was stopped is finished by the
    next one.
    """
    state = snapshot.state
    check(state, snapshot.folder)
    for segment in state.segments:
        check_segment(snapshot.folder / SEGMENTS, segment)
    points = Points(Address.read(where, snapshot.folder), state)
    points.make()
    gone, counts = points.contents(), dict(added=0, updated=0, unchanged=0)

    def missing() -> Iterator[tuple[int, EntityViews]]:
        """What the collection does not have as it is; what it has too much stays in ``gone``."""
        progress = Progress("pushing", state.entities, "entities")
        for part in snapshot.parts:
            for row in np.flatnonzero(part.live).tolist():
                key, content = int(part.keys[row]), content_of(int(part.content[row]))
                there = gone.pop(key, None)
                if there != content:
                    counts["updated" if there else "added"] += 1
                    yield key, part.views(row)
                else:
                    counts["unchanged"] += 1
                progress.advance()
        progress.finish()

    for some in row_groups(
        missing(), lambda one: one[1].vectors.size, KEYS_AT_ONCE, NUMBERS_AT_ONCE
    ):
        points.put(dict(some))
    keys = list(gone)
    for start in range(0, len(keys), KEYS_AT_ONCE):
        points.remove(keys[start : start + KEYS_AT_ONCE])
    points.tell(About(state.fingerprint, state.generation, longest(snapshot.parts)))
    return Change(**counts, removed=len(gone))
