"""An index of one's own knowledge base: made, opened, asked, changed."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from muver.index import changes
from muver.index.calibration import COMPARED, Calibration, read_calibration
from muver.index.changes import Change, Source
from muver.index.entity import Entity
from muver.index.lock import writing
from muver.index.making import Machinery
from muver.index.ranking import candidate, ranked, view
from muver.index.search import similarities
from muver.index.settings import Making
from muver.index.snapshot import Place, Snapshot
from muver.io.errors import InputError
from muver.io.typed import read
from muver.retrieval.answers import Candidate, Mention, ViewPart, check_texts

__all__ = ["Change", "Entity", "Index"]

MENTIONS_AT_ONCE = 1024


class Index:
    """Ranks the entities of an index for mentions, and changes it.

    An object answers from one snapshot. It sees its own changes at once, and those of other
    processes after :meth:`refresh`. Threads may share it; a second writer, in
    this process or another, is refused while one is at work.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> entities = [Entity(id="1", title="Smith", description="A smith forges iron."),
    ...             Entity(id="2", title="Baker", description="A baker bakes bread.")]
    >>> with TemporaryDirectory() as folder:
    ...     index = Index.create(folder, entities, model="bm25")
    ...     [[best]] = index.retrieve([Mention("the smith")], k=1)
    >>> best.document_id
    '1'
    """

    def __init__(
        self, snapshot: Snapshot, machinery: Machinery, calibration: Calibration | None = None
    ):
        self._snapshot, self._machinery = snapshot, machinery
        self._calibration = calibration

    @classmethod
    def create(
        cls,
        folder: str | Path,
        kb: Source,
        model: str | Path,
        punkt: str | Path | None = None,
        **settings: Any,
    ) -> "Index":
        """Make an index of a knowledge base.

        Parameters
        ----------
        folder
            Where the index is to lie; nothing may be there.
        kb
            What `muver kb import` wrote, or entities.
        model
            A trained model's directory, an encoder (a BERT directory or a hub name), which is taken
            as it is, or "bm25".
        punkt
            Folder of Punkt's parameters, by which descriptions are split into sentences, such as
            that of `muver segment`; None: a list of English abbreviations.
        settings
            Of :class:`muver.index.settings.Making`.

        Raises
        ------
        InputError
            For anything wrong with a setting, the model or an entity. Nothing is left behind then.
        """
        made = read(Making, settings, "settings")
        changes.create(Path(folder), kb, str(model), made, punkt)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: str | Path, calibrated: bool = True) -> "Index":
        """Open an index as it is now; the model is loaded when it is first needed.

        Parameters
        ----------
        calibrated
            Whether answers have a probability, if the index is calibrated.

        Raises
        ------
        InputError
            If the folder is no index, is one of another version, or a file is damaged.
        """
        snapshot = Snapshot.now(folder)
        fingerprint = snapshot.state.fingerprint
        calibration = read_calibration(snapshot.folder, fingerprint) if calibrated else None
        return cls(snapshot, Machinery(Path(folder), snapshot.state), calibration)

    def refresh(self) -> "Index":
        """The index as it is now; this object if nothing has changed.

        Raises
        ------
        InputError
            As :meth:`open`.
        """
        snapshot = Snapshot.now(self.folder, self._snapshot)
        calibration = read_calibration(self.folder, snapshot.state.fingerprint)
        if snapshot is self._snapshot and calibration == self._calibration:
            return self
        same = snapshot.state.fingerprint == self.fingerprint
        machinery = self._machinery if same else Machinery(self.folder, snapshot.state)
        return Index(snapshot, machinery, calibration)

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self._snapshot.folder

    @property
    def generation(self) -> int:
        """Grows with each change."""
        return self._snapshot.state.generation

    @property
    def fingerprint(self) -> str:
        """Equal for indexes that give equal answers if they have the same entities."""
        return self._snapshot.state.fingerprint

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
        return list(self._snapshot.worlds)

    @property
    def has_views(self) -> bool:
        """Whether entities have views, and are not ranked by words alone."""
        return self._snapshot.state.model is not None

    def __len__(self) -> int:
        return self._snapshot.state.entities

    def entity(self, id: str, world: str | None = None) -> Entity:
        """One entity.

        Raises
        ------
        UnknownEntity
            If it is not there.
        InputError
            If several worlds have one of this id and ``world`` is None.
        """
        snapshot = self._snapshot
        return snapshot.entity(snapshot.place_of(id, world))

    def has(self, id: str, world: str | None = None) -> bool:
        """Whether an entity is there, in a world or in any."""
        return bool(self._snapshot.found(id, world))

    def entities(self) -> Iterable[Entity]:
        """All entities, in no particular order."""
        return self._snapshot.entities()

    def retrieve(self, mentions: Sequence[Mention], k: int = 64) -> list[list[Candidate]]:
        """Rank entities for each mention.

        A mention without a world is looked for in all of them.

        Returns
        -------
        For each mention the best ``k`` candidates, best first, or all if there are fewer. Their
        ``entity`` is a number within this snapshot; ``document_id`` and ``world`` name the entity.
        The first has a ``probability`` if the index is calibrated.

        Raises
        ------
        InputError
            If the index lacks a mention's world, or a field is no text.
        """
        if k < 1:
            raise InputError(f"k: {k} is not a number of candidates; at least 1 is.")
        check_texts(mentions)
        snapshot = self._snapshot
        deep = max(k, COMPARED) if self._calibration else k
        found: list[list[Candidate]] = [[] for _ in mentions]
        rows: dict[str | None, list[int]] = {}
        for row, mention in enumerate(mentions):
            world = snapshot.world_of(mention.world, f"mention {mention.text!r}")
            rows.setdefault(world, []).append(row)
        for world, own in rows.items():
            for start in range(0, len(own), MENTIONS_AT_ONCE):
                some = own[start : start + MENTIONS_AT_ONCE]
                asked = [mentions[row] for row in some]
                answers = ranked(snapshot, self._machinery, world, asked, deep)
                for row, hits in zip(some, answers, strict=True):
                    candidates = [candidate(snapshot, hit) for hit in hits]
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

        Raises
        ------
        InputError
            If the index has no views, or the entity has gone.
        """
        snapshot, state = self._snapshot, self._snapshot.state
        if state.model is None:
            raise InputError(f"{self.folder}: ranks by words alone and has no views.")
        number, row = snapshot.place_of(candidate.document_id, candidate.world)
        part = snapshot.parts[number]
        (vector,) = self._machinery.mentions([mention])
        values = similarities(part, row, vector, state.model.metric)
        shares = state.settings.scorer.shares(values)
        return [
            ViewPart(float(values[n]), float(shares[n]), *view(snapshot, Place(number, row), n))
            for n in np.lexsort((-values, -shares)).tolist()
        ]

    def add(self, entities: Source) -> Change:
        """Add entities. One that is there with the same content is left as it is.

        Raises
        ------
        InputError
            If an id is there with another content or comes twice, if an entity is not valid, or
            while another writer is at work. Nothing is added then.
        """
        return self._put(entities, overwrite=False)

    def update(self, entities: Source) -> Change:
        """Add entities, or replace those of their ids; only what has changed is encoded.

        Raises
        ------
        InputError
            As :meth:`add`, but for ids that are there.
        """
        return self._put(entities, overwrite=True)

    def remove(self, ids: Iterable[str], world: str | None = None) -> Change:
        """Remove entities by their ids.

        Raises
        ------
        InputError
            If one is not there, or is in several worlds and ``world`` is None. Nothing is removed
            then.
        """
        with writing(self.folder):
            snapshot = Snapshot.now(self.folder, self._snapshot)
            change = changes.remove(snapshot, list(ids), world)
            self._snapshot = Snapshot.now(self.folder, snapshot)
        return change

    def compact(self) -> bool:
        """Make the index small again; answers stay the same. Tells whether it was written anew."""
        with writing(self.folder):
            snapshot = Snapshot.now(self.folder, self._snapshot)
            done = changes.compact(snapshot)
            self._snapshot = Snapshot.now(self.folder, snapshot)
        return done

    def info(self) -> dict[str, Any]:
        """What the index is and how large, for people and as JSON."""
        from muver.index.looking import info

        return info(self._snapshot)

    def verify(self) -> list[str]:
        """What is wrong with the index's files, a sentence for each; none if all is well."""
        from muver.index.looking import verify

        return verify(self.folder)

    def _put(self, entities: Source, overwrite: bool) -> Change:
        with writing(self.folder):
            snapshot = Snapshot.now(self.folder, self._snapshot)
            change = changes.put(snapshot, self._machinery, entities, overwrite)
            self._snapshot = Snapshot.now(self.folder, snapshot)
        return change
