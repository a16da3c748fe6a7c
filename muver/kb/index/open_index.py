"""An open index: asked for entities, views and candidates."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from muver.io.errors import InputError, Mistake, listed, quoted
from muver.io.text import counted
from muver.io.typed import read
from muver.kb.index.answer import Answer, groups, known_world
from muver.kb.index.calibration import COMPARED, Calibration
from muver.kb.index.costs import Costs
from muver.kb.index.described import EntityViews
from muver.kb.index.entity import Entity
from muver.kb.index.index_settings import Asking, changed
from muver.kb.index.mentions import Labelled, as_mentions, in_text
from muver.kb.index.shown import Answers
from muver.kb.index.snapshot import Snapshot
from muver.retriever.answers import Candidate, Explanation, Mention, check_number, check_texts

if TYPE_CHECKING:
    from muver.kb.index.reranked import Reranker


NO_MODEL = 0.4  # in place of a model's weight: words are looked up


class OpenIndex:
    """Ranks the entities of an index for mentions. Threads may share it.

    The ``fingerprint`` is equal for indexes
    that give equal answers if they have the same entities. ``calibration`` is what `muver index
    calibrate` had found when it was opened, and ``threshold`` the least probability with which the
    best candidate is the answer. ``weights`` say how much each signal counts. An index may have no
    views of sentences. ``fixed`` says what it is where it cannot be changed. With a ``second``
    stage its first candidates are ranked again, and no calibration holds.
    """

    fixed: str | None = None
    second: "Reranker | None" = None

    def __init__(self, store: Snapshot, calibration: Calibration | None = None):
        self._store = store
        self.folder, state = store.machinery.folder, store.state
        self.fingerprint, self.has_views = state.fingerprint, "views" in state.columns
        self.weights = state.weights
        if state.row:
            self.fixed = "a row of the workflow"
        self.calibration = calibration

    @property
    def threshold(self) -> float | None:
        return self.calibration and self.calibration.threshold

    @cached_property
    def weight(self) -> float:
        """How long a word piece of a mention takes, in times that all-MiniLM-L6-v2 needs."""
        machinery = self._store.machinery
        if not machinery.state.columns:
            return NO_MODEL
        from muver.retriever.encoders.device import weight_of

        return weight_of(machinery.model.mention_encoder)

    @property
    def weight_of_entities(self) -> float:
        """The same of an entity that is brought in, whose views may be merged."""
        return self.weight * (1 + self._store.machinery.state.settings.merge)

    @property
    def costs(self) -> Costs:
        """What a mention costs among all entities, as `weight` counts."""
        return self._store.costs

    def candidates_take(self, k: int) -> float:
        """What the best k candidates of a mention take at most; a second stage reads as many as it
        ranks, whatever k is.
        """
        k = min(self.second.depth if self.second else k, len(self))
        return self.costs.candidates(k) + (k * self.second.reads if self.second else 0)

    def _newer(self, before: Snapshot, store: Snapshot, calibration: Calibration | None) -> Self:
        """This index with the store after ``before``; this object if nothing has changed."""
        calibration = None if self.second else calibration
        if store is before and calibration == self.calibration:
            return self
        other = type(self)(store, calibration)
        other.second = self.second
        return other

    def reranked(self, second: "Reranker") -> Self:
        """This index with a second stage."""
        return self._with(second=second, calibration=None)

    def _with(self, **changed: Any) -> Self:
        other = copy(self)
        vars(other).update(changed)
        return other

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
        shown = counted(len(self), "entity", "entities"), model.name if model else "words and names"
        return f"<{type(self).__name__} {self.folder}: {', '.join(shown)}>"

    def __len__(self) -> int:
        return sum(self._store.worlds.values())

    def where(self, **columns: str) -> Self:
        """This index, as it is now, with only the entities whose other columns have these values;
        a column of several lines has each of them.
        """
        return self._with(_store=self._store.narrowed(columns), fixed="narrowed by where")

    def asking(self, **settings: Any) -> Self:
        """This index, as it is now, with other ``aggregate`` or ``words``, as it is made with; no
        vector depends on them. It has no calibration.
        """
        try:
            store = self._store.asking(read(Asking, settings, "settings"))
        except InputError as error:
            raise Mistake(str(error)) from None
        return self._with(_store=store, fixed="asked otherwise", calibration=None)

    def entity(self, id: str, world: str | None = None) -> Entity:
        """One entity; the world has to be named where several have one of this id."""
        part, row = self._store.place(id, world)
        return self._store.parts[part].entity(row)

    def has(self, id: str, world: str | None = None) -> bool:
        """Whether an entity is there, in a world or in any."""
        return bool(self.having(id, world))

    def having(self, id: str, world: str | None = None) -> list[str]:
        """The worlds that have an entity of an id, or the one asked for if it has."""
        return list(self._store.having(id, world))

    def views(self, id: str, world: str | None = None) -> EntityViews:
        """One entity with its views and their vectors."""
        if not self.has_views:
            raise InputError(
                f"{self.folder}: has no views of sentences. An index by a trained model has, and "
                "one made with --views."
            )
        part, row = self._store.place(id, world)
        return self._store.parts[part].views(row)

    def search(
        self,
        asked: str | Mention | Sequence[str | Mention],
        k: int = 10,
        weights: Mapping[str, float] | None = None,
    ) -> Answers:
        """Answer the marked mentions of a text, ``"In spring [[the smith]] forged it."``, or
        mentions as :meth:`retrieve` takes them; where Python prints the answers they are tables.
        """
        if isinstance(asked, str):
            asked = [line.mention for line in in_text(asked)]
        found = self.answers(as_mentions(asked), k, weights)
        return Answers(found, self.threshold, len(self.worlds) > 1)

    def answers(
        self, mentions: Iterable[Mention], k: int, weights: Mapping[str, float] | None = None
    ) -> Iterator[tuple[Mention, Answer]]:
        """Answer mentions in their order; :data:`.answer.TOGETHER` of them are held at a time."""
        for group in groups(mentions):
            ranked = self.retrieve(group, k, weights=weights)
            for mention, candidates in zip(group, ranked, strict=True):
                yield mention, Answer.of(mention, candidates, self.threshold)

    def checked(self, mentions: Iterable[Labelled], world: str | None = None) -> Iterator[Labelled]:
        """The mentions, in worlds that are here; ``world`` is that of those that name none."""
        worlds = self.worlds
        known_world(world, worlds, "--world")
        for line in mentions:
            named = known_world(line.mention.world or world, worlds, line.place)
            yield replace(line, mention=replace(line.mention, world=named))

    def has_gold(self, line: Labelled) -> bool:
        """Whether the gold entity of a mention is here; refused if several worlds have it."""
        worlds = self.having(line.gold, line.mention.world) if isinstance(line.gold, str) else []
        if len(worlds) > 1:
            raise Mistake(
                f"{line.place}: gold {quoted(line.gold)} is in several worlds "
                f"({listed(sorted(worlds))}). Name one."
            )
        return bool(worlds)

    def retrieve(
        self,
        mentions: str | Mention | Sequence[str | Mention],
        k: int = 64,
        excerpts: bool = False,
        weights: Mapping[str, float] | None = None,
    ) -> list[list[Candidate]]:
        """Rank entities for each mention; one without a world is looked for in all of them.

        Each gets its best ``k`` candidates, best first, or all if there are fewer, perhaps with the
        winning sentences as they stand between others (``excerpts``). Their
        ``entity`` is a number by which this object tells entities apart; ``document_id`` and
        ``world`` name the entity. The first has a ``probability`` if the index is calibrated.
        ``weights`` stand in the place of the index's for this once, without a calibration.
        """
        check_number(k, "k")
        mentions, second = as_mentions(mentions), self.second
        found = self._found(mentions, second.depth if second else k, excerpts, weights)
        if second:
            found = second.rank(mentions, found, k)
        return [[candidate for candidate, _ in pairs] for pairs in found]

    def _found(
        self,
        mentions: Sequence[Mention],
        k: int,
        excerpts: bool,
        weights: Mapping[str, float] | None,
    ) -> list[list[tuple[Candidate, Entity]]]:
        check_texts(mentions)
        store, calibration = self._store, None if weights else self.calibration
        weighed = changed(self.weights, weights)
        deep = max(k, COMPARED) if calibration else k
        found: list[list[tuple[Candidate, Entity]]] = [[] for _ in mentions]
        rows: dict[str | None, list[int]] = {}
        for row, mention in enumerate(mentions):
            world = known_world(mention.world, store.worlds, f"mention {quoted(mention.text)}")
            rows.setdefault(world, []).append(row)
        for world, places in rows.items():
            group = [mentions[row] for row in places]
            answers = store.ranked(group, world, deep, weighed, excerpts)
            for row, pairs in zip(places, answers, strict=True):
                if calibration and pairs:
                    chance = calibration.probability(mentions[row], [best for best, _ in pairs])
                    (best, entity), *others = pairs
                    pairs = [(replace(best, probability=chance), entity), *others]
                found[row] = pairs[:k]
        return found

    def explain(
        self,
        mention: str | Mention,
        id: str,
        world: str | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> Explanation:
        """What each signal, and each view of sentences, adds to an entity's score for a mention."""
        (mention,) = as_mentions(mention)
        check_texts([mention])
        return self._store.explained(mention, id, world, changed(self.weights, weights))
