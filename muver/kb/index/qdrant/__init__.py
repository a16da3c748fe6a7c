"""An index whose entities are in Qdrant: model and settings are here, the rest is asked for."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from muver.io.errors import InputError
from muver.io.parquet import row_groups
from muver.io.progress import Progress
from muver.kb.index.calibration import read_calibration
from muver.kb.index.changes import Change
from muver.kb.index.entity import Entity, EntityViews
from muver.kb.index.index_settings import Weights
from muver.kb.index.machinery import Machinery
from muver.kb.index.names import folded
from muver.kb.index.open_index import OpenIndex
from muver.kb.index.qdrant.collection import (
    About,
    Address,
    Points,
    check,
    check_weights,
    content_of,
)
from muver.kb.index.segments import check as check_segment
from muver.kb.index.signals import FIRST
from muver.kb.index.snapshot import NoAnswer, Snapshot, Store
from muver.kb.index.state import SEGMENTS, read_state
from muver.retriever.answers import Candidate, Explanation, Mention
from muver.retriever.retrieval.aggregates import MAX
from muver.retriever.retrieval.exact import exactly, slack

SPARE = 8  # points more than are wanted, so that it is seen where equal scores end
MOST_CALLED = 1_000  # entities of one name
POINTS_AT_ONCE = 256  # that are fetched with their vectors
NUMBERS_AT_ONCE = 500_000  # of vectors in a request; Qdrant takes 32 MB of JSON by default
KEYS_AT_ONCE = 10_000


class Collected(Points, Store):
    """The entities of a collection; those pushed meanwhile are found, but not new worlds."""

    def __init__(self, address: Address, machinery: Machinery):
        super().__init__(address, machinery.state)
        self.machinery, self.state = machinery, machinery.state
        self._metric = self.state.model.metric
        self._about = self.about()
        if not self._about.generation:
            raise InputError(
                f"{address}: no push has come to its end there. Call `muver index push` again: it "
                "goes on from what is there."
            )
        self.generation = self._about.generation

    def ranked(
        self,
        mentions: Sequence[Mention],
        world: str | None,
        k: int,
        weights: Weights,
        excerpts: bool = False,
    ) -> list[list[tuple[Candidate, Entity]]]:
        check_weights(weights)
        vectors, names = self.machinery.mentions(mentions), [folded(one.text) for one in mentions]
        step, found = max(POINTS_AT_ONCE // k, 1), []
        for start in range(0, len(vectors), step):
            some = vectors[start : start + step]
            possible = self._possible(some, world, k)
            if weights["exact"]:
                called = self.near(some, world, MOST_CALLED, names[start : start + step])
                possible = [[*own, *keys] for own, (keys, _) in zip(possible, called, strict=True)]
            known = self.views_of({key for own in possible for key in own})
            for vector, name, own in zip(some, names[start:], possible, strict=False):
                there = {key: known[key] for key in own if key in known}
                found.append(self._best(vector, name, there, weights, excerpts)[:k])
        return found

    def explained(self, mention: Mention, entity: Entity, weights: Weights) -> Explanation:
        check_weights(weights)
        vector, own = self.machinery.mentions([mention]), self.views_of([entity.key])[entity.key]
        given, _ = self._given(vector, folded(mention.text), own, weights)
        return Explanation(given, own.parts(vector, self._metric, MAX))

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
        self,
        mention: np.ndarray,
        name: str,
        entities: dict[int, EntityViews],
        weights: Weights,
        excerpts: bool,
    ) -> list[tuple[Candidate, Entity]]:
        pairs = []
        for key, one in entities.items():
            given, similar = self._given(mention[None], name, one, weights)
            shown = one.shown(int(similar.argmax()), similar)
            pairs.append((one.candidate(key, given, shown, excerpts), one.entity))
        return sorted(pairs, key=lambda one: (-one[0].score, one[1].world, one[1].id))

    def _given(
        self, mention: np.ndarray, name: str, one: EntityViews, weights: Weights
    ) -> tuple[dict[str, float], np.ndarray]:
        """What each signal gives to an entity for a (1, d) mention, and its views' similarities."""
        (similar,) = exactly(one.vectors, mention, self._metric)
        names = map(folded, [one.entity.title, *one.entity.aliases])
        given = {
            "exact": FIRST * (name in names),
            "views": float(similar.max() / np.float32(self.state.model.scale)),
        }
        return {key: weights[key] * value for key, value in given.items() if weights[key]}, similar


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
        store = Collected(Address.read(where, folder), Machinery(folder, state))
        return cls(store, read_calibration(folder, state.fingerprint))

    def refresh(self) -> "QdrantIndex":
        """The index as the last push left it; this object if there was none."""
        before = self._store
        store = Collected(before.address, before.machinery)
        # Of an index made anew the generation may be the same.
        if (store._about, store.worlds) == (before._about, before.worlds):
            store = before
        return self._newer(before, store, read_calibration(self.folder, self.fingerprint))


def push(snapshot: Snapshot, where: str) -> Change:
    """Bring a collection of Qdrant to the entities of an index: what is new or has changed goes
    there, and no more.

    Whoever asks meanwhile may see a part of the change. A push that was stopped is finished by the
    next one.
    """
    try:
        return _pushed(snapshot, where)
    except NoAnswer as error:
        raise NoAnswer(
            f"{error} What came there stays: call `muver index push` again, and it goes on."
        ) from None


def _pushed(snapshot: Snapshot, where: str) -> Change:
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
    points.tell(About(state.made_with, state.generation, snapshot.longest))
    return Change(**counts, removed=len(gone))
