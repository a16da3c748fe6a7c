"""An index of one's own knowledge base: made, opened, asked and changed."""

import atexit
import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from muver.io.errors import InputError, Mistake, listed, quoted
from muver.io.files import folder_beside, write_text
from muver.io.text import counted
from muver.io.typed import read
from muver.kb.importing.build import as_kb
from muver.kb.index import changes
from muver.kb.index.answer import Answer
from muver.kb.index.calibration import COMPARED, Calibration, read_calibration
from muver.kb.index.changes import Change, Source
from muver.kb.index.costs import Costs
from muver.kb.index.entity import Entity
from muver.kb.index.index_settings import DEPTH, Asking, Making, changed
from muver.kb.index.mentions import Labelled, as_mentions, followed, groups, in_text
from muver.kb.index.question import Question
from muver.kb.index.shown import Answers, card_of
from muver.kb.index.snapshot import Snapshot, known_world
from muver.kb.index.state import FILE, LOCK, writing
from muver.kb.index.views import EntityViews
from muver.retriever.answers import Candidate, Explanation, Mention, check_number, check_texts
from muver.retriever.encoders.hub import fetched, push_folder

if TYPE_CHECKING:
    from muver.kb.index.reranked import Reranker


class Index:
    """Ranks the entities of an index for mentions, and changes it. Threads may share it.

    An object answers from one snapshot. It sees its own changes at once, and those of other
    processes after :meth:`refresh`. A second writer, in this process or another, is refused while
    one is at work.

    The ``fingerprint`` is equal for indexes that give equal answers if they have the same entities.
    ``calibration`` is what `muver index calibrate` had found when it was opened. ``weights`` say
    how much each signal counts. ``fixed`` is None, or says why it cannot be changed, such as "a row
    of the workflow". With a ``second`` stage its first candidates are ranked again, and no
    calibration holds.

    >>> from tempfile import TemporaryDirectory
    >>> from muver import Mention
    >>> entities = [Entity(id="1", title="Smith", description="A smith forges iron."),
    ...             Entity(id="2", title="Baker", description="A baker bakes bread.")]
    >>> with TemporaryDirectory() as folder:
    ...     index = Index.create(folder, entities, model="bm25")
    ...     [[best]] = index.retrieve([Mention("the smith")], k=1)
    >>> best.document_id
    '1'
    """

    fixed: str | None = None
    second: "Reranker | None" = None

    def __init__(self, store: Snapshot, calibration: Calibration | None = None):
        self._store, self.calibration = store, calibration
        self.folder, state = store.folder, store.state
        self.fingerprint, self.weights = state.fingerprint, state.weights
        if state.row:
            self.fixed = "a row of the workflow"

    @classmethod
    def create(
        cls,
        folder: str | Path,
        kb: Source,
        model: str | Path | None = None,
        weights: Mapping[str, float] | None = None,
        **settings: Any,
    ) -> "Index":
        """Make an index of a knowledge base; nothing is left behind if that fails.

        ``kb`` is what `muver kb import` wrote, or entities. ``model`` is a trained model's
        directory, or an encoder (a directory or a hub name), which is taken as it is. None ranks by
        words and the letters of names, and "bm25" by words alone. ``weights`` stand in the place of
        the defaults for this kind of index (:mod:`muver.kb.index.index_settings`).
        ``settings`` are of :class:`muver.kb.index.index_settings.Making`.
        """
        making = read(Making, settings, "settings")
        changes.create(Path(folder), kb, model and str(model), making, weights)
        return cls.open(folder)

    @classmethod
    def from_csv(
        cls, path: str | Path, folder: str | Path | None = None, world: str | None = None,
        columns: Mapping[str, str] | None = None, **making: Any,
    ) -> "Index":  # fmt: skip
        """Make an index of a CSV, or of another file that `muver kb import` reads.

        Without a ``folder`` it lies in a temporary one until this process ends. ``columns`` are
        the file's by their canonical names, ``{"title": "product"}``, where theirs do not tell;
        ``making`` is as of :meth:`create`, such as ``model``.
        """
        if folder is None:
            place = tempfile.mkdtemp(prefix="muver-")
            atexit.register(shutil.rmtree, place, ignore_errors=True)
            folder = Path(place, Path(path).stem)
        with as_kb(Path(path), Path(folder), world, columns) as kb:
            return cls.create(folder, kb, **making)

    @classmethod
    def open(cls, folder: str | Path, calibrated: bool = True) -> "Index":
        """Open an index as it is now, with or without the probabilities of its calibration; the
        model is loaded when it is first needed.
        """
        snapshot = Snapshot.now(folder)
        kept = read_calibration(snapshot.folder, snapshot.state.fingerprint) if calibrated else None
        return cls(snapshot, kept)

    @classmethod
    def from_pretrained(cls, source: str | Path) -> "Index":
        """Open an index in a folder, or one of the hub, ``OWNER/NAME`` or ``OWNER/NAME@REVISION``.

        That of the hub lies in its client's cache and is not to be changed;
        :meth:`save_pretrained` makes a copy that can be.
        """
        if Path(source).is_dir():
            return cls.open(source)
        if (folder := fetched(str(source), FILE)) is None:
            raise InputError(f"{source}: neither the folder of an index here nor one of the hub.")
        index = cls.open(folder)
        index.fixed = "an index in the hub's cache"
        return index

    def save_pretrained(self, folder: str | Path) -> "Index":
        """Copy this index, as it is now, to a new folder, and open it there."""
        folder = Path(folder)
        if folder.exists():
            raise InputError(f"{folder}: is there already. Name a new folder.")
        with folder_beside(folder) as temporary, writing(self.folder):
            unneeded = shutil.ignore_patterns(LOCK, "*.tmp")
            shutil.copytree(self.folder, temporary, ignore=unneeded, dirs_exist_ok=True)
            temporary.rename(folder)
        return Index.open(folder)

    def push_to_hub(self, name: str, private: bool = False) -> str:
        """Upload this index, as it is now, as ``OWNER/NAME``; the address of the commit."""
        with tempfile.TemporaryDirectory() as place:
            copy = self.save_pretrained(Path(place, "index"))
            write_text(copy.folder / "README.md", card_of(copy.info(), name))
            return push_folder(copy.folder, name, private)

    def refresh(self) -> "Index":
        """The index as it is now; this object if nothing has changed."""
        before = self._store  # a change in another thread may replace it meanwhile
        store = Snapshot.now(self.folder, before)
        calibration = read_calibration(self.folder, store.state.fingerprint)
        calibration = None if self.second else calibration
        if store is before and calibration == self.calibration:
            return self
        return Index(store, calibration)._with(second=self.second)

    def _with(self, **attributes: Any) -> Self:
        """A copy of this object with other attributes."""
        other = copy(self)
        vars(other).update(attributes)
        return other

    def reranked(self, second: "Reranker") -> Self:
        """This index with a second stage."""
        return self._with(second=second, calibration=None)

    def where(self, /, **columns: str) -> Self:
        """This index, as it is now, with only the entities whose other columns have these values;
        a column of several lines has each of them.
        """
        return self._with(_store=self._store.narrowed(columns), fixed="narrowed by where")

    def asking(self, /, **settings: Any) -> Self:
        """This index, as it is now, with other ``aggregate`` or ``words``, as it is made with; no
        vector depends on them. It has no calibration.
        """
        try:
            store = self._store.asking(read(Asking, settings, "settings"))
        except InputError as error:
            raise Mistake(str(error)) from None
        return self._with(_store=store, fixed="asked otherwise", calibration=None)

    @property
    def threshold(self) -> float | None:
        """The least probability with which the best candidate is the answer."""
        return self.calibration and self.calibration.threshold

    @property
    def costs(self) -> Costs:
        """What it takes to answer."""
        costs, second = self._store.costs, self.second
        return replace(costs, depth=second.depth, reranked=second.reads) if second else costs

    @property
    def generation(self) -> int:
        """Grows with each change."""
        return self._store.state.generation

    @property
    def worlds(self) -> list[str]:
        """Names of the worlds that have entities, in alphabetical order."""
        return list(self._store.worlds)

    def __len__(self) -> int:
        return len(self._store)

    def __repr__(self) -> str:
        model = self._store.state.model
        shown = counted(len(self), "entity", "entities"), model.name if model else "words and names"
        return f"<Index {self.folder}: {', '.join(shown)}>"

    def info(self) -> dict[str, Any]:
        """Model, settings, counts and sizes, as JSON has them."""
        return self._store.info()

    def entities(self) -> Iterable[Entity]:
        """All entities, in no particular order."""
        return self._store.entities()

    def entity(self, id: str, world: str | None = None) -> Entity:
        """One entity; the world has to be named where several have one of this id."""
        return self._store.entity(self._store.number(id, world))

    def has(self, id: str, world: str | None = None) -> bool:
        """Whether an entity is there, in a world or in any."""
        return bool(self.having(id, world))

    def having(self, id: str, world: str | None = None) -> list[str]:
        """The worlds that have an entity of an id, or the one asked for if it has."""
        return list(self._store.having(id, world))

    def views(self, id: str, world: str | None = None) -> EntityViews:
        """One entity with its views and their vectors."""
        if "views" not in self._store.state.columns:
            raise InputError(
                f"{self.folder}: has no views of sentences. An index by a trained model has, and "
                "one made with --views."
            )
        return self._store.views(self._store.number(id, world))

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
        answers = self.answers(as_mentions(asked), k, weights)
        return Answers(answers, self.threshold, len(self.worlds) > 1)

    def answers(
        self, mentions: Iterable[Mention], k: int, weights: Mapping[str, float] | None = None
    ) -> Iterator[tuple[Mention, Answer]]:
        """Answer mentions in their order; :data:`.mentions.TOGETHER` of them are held at a time."""
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

    def labelled(self, mentions: Iterable[Labelled]) -> Iterator[list[tuple[Labelled, bool]]]:
        """Mentions some at a time, each with whether its gold entity is here."""
        for group in followed(self.checked(mentions)):
            yield [(line, self.has_gold(line)) for line in group]

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
        mentions, second, store = as_mentions(mentions), self.second, self._store
        check_texts(mentions)
        calibration = None if weights else self.calibration
        depth = second.depth if second else max(k, COMPARED) if calibration else k
        weighed = changed(self.weights, weights)
        rows_of: dict[str | None, list[int]] = {}
        for row, mention in enumerate(mentions):
            world = known_world(mention.world, store.worlds, f"mention {quoted(mention.text)}")
            rows_of.setdefault(world, []).append(row)
        ranked: dict[int, list[Candidate]] = {}
        for world, rows in rows_of.items():
            question = Question(store, [mentions[row] for row in rows], world, weighed, depth)
            ranked |= zip(rows, question.candidates(excerpts), strict=True)
        answers = [ranked[row] for row in range(len(mentions))]
        if second:
            return second.rank(mentions, answers, store.entity, k)
        for mention, candidates in zip(mentions, answers, strict=True):
            if calibration and candidates:
                chance = calibration.probability(mention, candidates)
                candidates[0] = replace(candidates[0], probability=chance)
        return [candidates[:k] for candidates in answers]

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
        store = self._store
        number = store.number(id, world)
        world = mention.world and store.entity(number).world
        return Question(store, [mention], world, changed(self.weights, weights)).explanation(number)

    def signal_scores(self, mention: Mention, gold: str, depth: int) -> np.ndarray:
        """(signals, candidates) float32 each signal's scores of the best ``depth`` candidates by
        each of them, and at last of the gold entity; the signals in the order of the weights.
        """
        alike = dict.fromkeys(self.weights, 1.0)
        question = Question(self._store, [mention], mention.world, alike)
        return question.signal_scores(self._store.number(gold, mention.world), depth)

    def add(self, entities: Source) -> Change:
        """Add entities, all or none.

        One that is there with the same content is left as it is; another one of its id is refused.
        """
        with self._changing() as snapshot:
            return changes.put(snapshot, entities, overwrite=False)

    def update(self, entities: Source) -> Change:
        """Add entities, or replace those of their ids; only what has changed is encoded."""
        with self._changing() as snapshot:
            return changes.put(snapshot, entities, overwrite=True)

    def remove(self, ids: str | int | Iterable[str | int], world: str | None = None) -> Change:
        """Remove one entity by its id, or several by theirs, all or none."""
        with self._changing() as snapshot:
            ids_asked = [ids] if isinstance(ids, str | int) else list(ids)
            return changes.remove(snapshot, ids_asked, world)

    def compact(self) -> None:
        """Make the index small again; answers stay the same."""
        with self._changing() as snapshot:
            changes.compact(snapshot)

    def check_changeable(self) -> None:
        """Refuse to change what is ``fixed``."""
        if self.fixed:
            cure = "Change the index in its folder, or a copy by save_pretrained."
            if self._store.state.row:
                cure = "Make an index of its model: muver index create KB --model MODEL."
            raise InputError(f"{self.folder}: {self.fixed}, not to be changed. {cure}")

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Snapshot]:
        """The newest snapshot, held for a change; what follows it is taken in the end."""
        self.check_changeable()
        with writing(self.folder):
            snapshot = Snapshot.now(self.folder, self._store)
            yield snapshot
            self._store = Snapshot.now(self.folder, snapshot)


def opened_index(folder: Path, rerank: Path | None = None, depth: int | None = None) -> Index:
    """An index, whose first ``depth`` candidates (64) the cross-encoder in the folder ``rerank``
    ranks again.
    """
    if rerank is None:
        if depth is not None:
            raise InputError("depth is how many candidates a second stage ranks: give rerank too.")
        return Index.open(folder)
    from muver.kb.index.reranked import Reranker
    from muver.retriever.encoders.cross import CrossEncoder
    from muver.retriever.encoders.device import load_model

    second = Reranker(load_model(rerank, CrossEncoder), DEPTH if depth is None else depth)
    return Index.open(folder).reranked(second)
