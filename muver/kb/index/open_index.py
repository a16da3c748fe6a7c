"""An open index: asked for entities, views and candidates, wherever they lie."""

from collections.abc import Sequence
from copy import copy
from typing import Self

from muver.io.errors import InputError, Mistake
from muver.io.text import counted
from muver.kb.index.answer import answers, known_world
from muver.kb.index.calibration import COMPARED, Calibration
from muver.kb.index.entity import Entity, EntityViews
from muver.kb.index.mentions import as_mentions, in_text
from muver.kb.index.search import exactly
from muver.kb.index.shown import Answers
from muver.kb.index.snapshot import Snapshot, Store
from muver.retriever.retrieval.answers import (
    Candidate,
    Mention,
    ViewPart,
    check_number,
    check_texts,
)
from muver.retriever.retrieval.layers import greatest_first


class OpenIndex:
    """Ranks the entities of an index for mentions, wherever they lie. Threads may share it.

    ``folder`` is where it, or its model and settings, lie. The ``fingerprint`` is equal for indexes
    that give equal answers if they have the same entities. ``calibration`` is what `muver index
    calibrate` had found when it was opened, and ``threshold`` the least probability with which the
    best candidate is the answer. An index that ranks by words alone has no views. ``fixed`` says
    what it is where it cannot be changed.
    """

    fixed: str | None = None
    all_worlds = True  # a mention without a world can be looked up
    reads = 0  # word pieces for a mention beside its context

    def __init__(self, store: Store, calibration: Calibration | None = None):
        self._store, self.calibration = store, calibration
        self.folder, state = store.machinery.folder, store.machinery.state
        self.fingerprint, self.has_views = state.fingerprint, state.model is not None
        self.threshold = calibration and calibration.threshold

    @property
    def generation(self) -> int:
        """Grows with each change."""
        return self._store.generation

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds that have entities, in alphabetical order."""
        return list(self._store.worlds)

    def __repr__(self) -> str:
        model = self._store.machinery.state.model
        told = counted(len(self), "entity", "entities"), model.name if model else "bm25"
        return f"<{type(self).__name__} {self.folder}: {', '.join(told)}>"

    def __len__(self) -> int:
        return sum(self._store.worlds.values())

    def where(self, **columns: str) -> Self:
        """This index, as it is now, with only the entities whose other columns have these values;
        a column of several lines has each of them.
        """
        if not isinstance(self._store, Snapshot):
            raise Mistake("where: only an index in its own files can be narrowed.")
        other = copy(self)
        other._store, other.fixed = self._store.narrowed(columns), "narrowed by where"
        return other

    def entity(self, id: str, world: str | None = None) -> Entity:
        """One entity; the world has to be named where several have one of this id."""
        store = self._store
        return store.only(store.entities_of, id, world)

    def has(self, id: str, world: str | None = None) -> bool:
        """Whether an entity is there, in a world or in any."""
        return bool(self.having(id, world))

    def having(self, id: str, world: str | None = None) -> list[str]:
        """The worlds that have an entity of an id, or the one asked for if it has."""
        return self._store.having(id, world)

    def views(self, id: str, world: str | None = None) -> EntityViews:
        """One entity with its views and their vectors."""
        if not self.has_views:
            raise InputError(f"{self.folder}: ranks by words alone and has no views.")
        store = self._store
        return store.only(store.views_of, id, world)

    def search(self, asked: str | Mention | Sequence[str | Mention], k: int = 10) -> Answers:
        """Answer the marked mentions of a text, ``"In spring [[the smith]] forged it."``, or
        mentions as :meth:`retrieve` takes them; where Python prints the answers they are tables.
        """
        if isinstance(asked, str):
            asked = [one.mention for one in in_text(asked)]
        found = answers(self, as_mentions(asked), k)
        return Answers(found, self.threshold, len(self.worlds) > 1)

    def retrieve(
        self, mentions: str | Mention | Sequence[str | Mention], k: int = 64, excerpts: bool = False
    ) -> list[list[Candidate]]:
        """Rank entities for each mention; one without a world is looked for in all of them. A
        mention without a context may be its text alone, and a single one stand without a list.

        Each gets its best ``k`` candidates, best first, or all if there are fewer, perhaps with the
        winning sentences as they stand between others (``excerpts``). Their
        ``entity`` is a number by which this object tells entities apart; ``document_id`` and
        ``world`` name the entity. The first has a ``probability`` if the index is calibrated.
        """
        check_number(k, "k")
        mentions = as_mentions(mentions)
        check_texts(mentions)
        store = self._store
        deep = max(k, COMPARED) if self.calibration else k
        found: list[list[Candidate]] = [[] for _ in mentions]
        rows: dict[str | None, list[int]] = {}
        for row, mention in enumerate(mentions):
            world = known_world(mention.world, store.worlds, f"mention {mention.text!r}")
            rows.setdefault(world, []).append(row)
        for world, own in rows.items():
            answers = store.ranked([mentions[row] for row in own], world, deep, excerpts)
            for row, candidates in zip(own, answers, strict=True):
                if self.calibration:
                    candidates = self.calibration.judged(mentions[row], candidates)
                found[row] = candidates[:k]
        return found

    def parts(self, mention: Mention, candidate: Candidate) -> list[ViewPart]:
        """What each view of a candidate adds to its score for a mention, the greatest part first.

        BM25's part in a fused score is not shown.
        """
        own, machinery = self.views(candidate.document_id, candidate.world), self._store.machinery
        vectors = machinery.mentions([mention])
        (similarities,) = exactly(own.vectors, vectors, machinery.state.model.metric)
        shares = machinery.state.settings.scorer.shares(similarities)
        return [
            own.part(n, float(similarities[n]), float(shares[n]))
            for n in greatest_first(similarities, shares).tolist()
        ]
