"""An open index, wherever its entities lie: what can be asked of it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from muver.io.errors import InputError, Mistake
from muver.kb.index.calibration import COMPARED, Calibration
from muver.kb.index.entity import Entity
from muver.kb.index.making import Machinery
from muver.kb.index.snapshot import known_world
from muver.kb.index.views import EntityViews
from muver.retriever.retrieval.answers import Candidate, Mention, ViewPart, check_texts

MENTIONS_AT_ONCE = 1024


class NoAnswer(InputError):
    """The store of an index's entities does not answer, or not as it should."""


class Store(Protocol):
    """The entities of an index at one time."""

    @property
    def generation(self) -> int:
        """Grows with each change."""
        ...

    @property
    def worlds(self) -> dict[str, int]:
        """How many entities each world has, by name in alphabetical order."""
        ...

    def entity(self, id: str, world: str | None) -> Entity:
        """As :meth:`OpenIndex.entity`."""
        ...

    def has(self, id: str, world: str | None) -> bool:
        """As :meth:`OpenIndex.has`."""
        ...

    def views(self, id: str, world: str | None) -> EntityViews:
        """As :meth:`OpenIndex.views`."""
        ...

    def ranked(
        self, mentions: Sequence[Mention], world: str | None, k: int
    ) -> list[list[Candidate]]:
        """The best ``k`` entities of each mention, of a world or of all."""
        ...


class OpenIndex(ABC):
    """Ranks the entities of an index for mentions. Threads may share it.

    Attributes
    ----------
    fixed
        What it is, where it cannot be changed; None where it can.
    """

    fixed: str | None = None

    def __init__(self, store: Store, machinery: Machinery, calibration: Calibration | None = None):
        self._store, self._machinery, self._calibration = store, machinery, calibration

    @abstractmethod
    def refresh(self) -> "OpenIndex":
        """The index as it is now; this object if nothing has changed."""

    @property
    def folder(self) -> Path:
        """Where it, or its model and settings, lie."""
        return self._machinery.folder

    @property
    def generation(self) -> int:
        """Grows with each change."""
        return self._store.generation

    @property
    def fingerprint(self) -> str:
        """Equal for indexes that give equal answers if they have the same entities."""
        return self._machinery.state.fingerprint

    @property
    def calibration(self) -> Calibration | None:
        """What `muver index calibrate` found, when the index was opened."""
        return self._calibration

    @property
    def threshold(self) -> float | None:
        """The least probability of the best candidate with which it is the answer."""
        return self._calibration and self._calibration.threshold

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds that have entities, in alphabetical order."""
        return list(self._store.worlds)

    @property
    def has_views(self) -> bool:
        """Whether entities have views, and are not ranked by words alone."""
        return self._machinery.state.model is not None

    def __len__(self) -> int:
        return sum(self._store.worlds.values())

    def entity(self, id: str, world: str | None = None) -> Entity:
        """One entity."""
        return self._store.entity(id, world)

    def has(self, id: str, world: str | None = None) -> bool:
        """Whether an entity is there, in a world or in any."""
        return self._store.has(id, world)

    def views(self, id: str, world: str | None = None) -> EntityViews:
        """One entity with its views and their vectors."""
        if not self.has_views:
            raise InputError(f"{self.folder}: ranks by words alone and has no views.")
        return self._store.views(id, world)

    def retrieve(self, mentions: Sequence[Mention], k: int = 64) -> list[list[Candidate]]:
        """Rank entities for each mention.

        A mention without a world is looked for in all of them.

        Returns
        -------
        For each mention the best ``k`` candidates, best first, or all if there are fewer. Their
        ``entity`` is a number by which this object tells entities apart; ``document_id`` and
        ``world`` name the entity. The first has a ``probability`` if the index is calibrated.
        """
        if k < 1:
            raise Mistake(f"k: {k} is not a number of candidates; at least 1 is.")
        check_texts(mentions)
        store = self._store
        deep = max(k, COMPARED) if self._calibration else k
        found: list[list[Candidate]] = [[] for _ in mentions]
        rows: dict[str | None, list[int]] = {}
        for row, mention in enumerate(mentions):
            world = known_world(mention.world, store.worlds, f"mention {mention.text!r}")
            rows.setdefault(world, []).append(row)
        for world, own in rows.items():
            for start in range(0, len(own), MENTIONS_AT_ONCE):
                some = own[start : start + MENTIONS_AT_ONCE]
                answers = store.ranked([mentions[row] for row in some], world, deep)
                for row, candidates in zip(some, answers, strict=True):
                    if self._calibration:
                        candidates = self._calibration.judged(mentions[row], candidates)
                    found[row] = candidates[:k]
        return found

    def parts(self, mention: Mention, candidate: Candidate) -> list[ViewPart]:
        """What each view of a candidate adds to its score for a mention, the greatest part first.

        Parameters
        ----------
        candidate
            From :meth:`retrieve`. BM25's part in a fused score is not shown.
        """
        views = self.views(candidate.document_id, candidate.world)
        state = self._machinery.state
        (vector,) = self._machinery.mentions([mention])
        return views.parts(vector, state.settings.scorer, state.model.metric)


def open_index(folder: Path, qdrant: str | None = None) -> OpenIndex:
    """Open an index of one's own entities.

    Parameters
    ----------
    qdrant
        Address of the collection in which its entities are searched; None: its own files.
    """
    if qdrant is not None:
        from muver.kb.index.qdrant import QdrantIndex

        return QdrantIndex.open(folder, qdrant)
    from muver.kb.index import Index

    return Index.open(folder)
