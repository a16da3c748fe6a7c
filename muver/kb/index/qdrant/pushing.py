"""Bringing a collection to what an index is: what is new or has changed goes there, and no more."""

from collections.abc import Iterator

import numpy as np

from muver.io.progress import Progress
from muver.kb.index.changes import Change
from muver.kb.index.qdrant.address import Address
from muver.kb.index.qdrant.collection import About, Points, check, content_of
from muver.kb.index.search import longest
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.views import EntityViews

NUMBERS_AT_ONCE = 500_000  # of vectors in a request; Qdrant takes 32 MB of JSON by default
KEYS_AT_ONCE = 10_000


def push(snapshot: Snapshot, where: str) -> Change:
    """Bring a collection of Qdrant to the entities of an index.

    Whoever asks meanwhile may see a part of the change. A push that was stopped is finished by the
    next one.
    """
    state = snapshot.state
    check(state, snapshot.folder)
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
                    yield key, EntityViews.of(part, row)
                else:
                    counts["unchanged"] += 1
                progress.advance()
        progress.finish()

    for some in _requests(missing()):
        points.put(some)
    keys = list(gone)
    for start in range(0, len(keys), KEYS_AT_ONCE):
        points.remove(keys[start : start + KEYS_AT_ONCE])
    points.tell(About(state.fingerprint, state.generation, longest(snapshot.parts)))
    return Change(**counts, removed=len(gone))


def _requests(entities: Iterator[tuple[int, EntityViews]]) -> Iterator[dict[int, EntityViews]]:
    some: dict[int, EntityViews] = {}
    numbers = 0
    for key, one in entities:
        if some and numbers + one.vectors.size > NUMBERS_AT_ONCE:
            yield some
            some, numbers = {}, 0
        some[key] = one
        numbers += one.vectors.size
    if some:
        yield some
