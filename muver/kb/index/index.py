"""An index of one's own knowledge base: made, opened, asked, changed."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from muver.io.typed import read
from muver.kb.index import changes
from muver.kb.index.calibration import read_calibration
from muver.kb.index.changes import Change, Source
from muver.kb.index.entity import Entity
from muver.kb.index.lock import writing
from muver.kb.index.making import Machinery
from muver.kb.index.opened import OpenIndex
from muver.kb.index.ranking import Embedded
from muver.kb.index.settings import Making
from muver.kb.index.snapshot import Snapshot

__all__ = ["Change", "Entity", "Index"]


class Index(OpenIndex):
    """Ranks the entities of an index for mentions, and changes it.

    An object answers from one snapshot. It sees its own changes at once, and those of other
    processes after :meth:`refresh`. Threads may share it; a second writer, in
    this process or another, is refused while one is at work.

    Examples
    --------
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

    _store: Embedded

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
            A trained model's directory, an encoder (a directory or a hub name), which is taken
            as it is, or "bm25".
        punkt
            Folder of Punkt's parameters, by which descriptions are split into sentences, such as
            that of `muver segment`; None: a list of English abbreviations.
        settings
            Of :class:`muver.kb.index.settings.Making`.

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
        machinery = Machinery(Path(folder), snapshot.state)
        return cls(Embedded(snapshot, machinery), machinery, calibration)

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
        return Index(Embedded(snapshot, machinery), machinery, calibration)

    @property
    def _snapshot(self) -> Snapshot:
        return self._store.snapshot

    def entities(self) -> Iterable[Entity]:
        """All entities, in no particular order."""
        return self._snapshot.entities()

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
        with self._changing() as snapshot:
            return changes.remove(snapshot, list(ids), world)

    def compact(self) -> bool:
        """Make the index small again; answers stay the same. Tells whether it was written anew."""
        with self._changing() as snapshot:
            return changes.compact(snapshot)

    def push(self, where: str) -> Change:
        """Bring a collection of Qdrant to the entities of this index.

        Parameters
        ----------
        where
            ``http://HOST:PORT/COLLECTION``; the folder's name is the collection's if it has none.

        Raises
        ------
        InputError
            As :func:`muver.kb.index.qdrant.pushing.push`.
        """
        from muver.kb.index.qdrant import push

        return push(self._snapshot.checked(), where)

    def info(self) -> dict[str, Any]:
        """What the index is and how large, for people and as JSON."""
        from muver.kb.index.looking import info

        return info(self._snapshot)

    def verify(self) -> list[str]:
        """What is wrong with the index's files, a sentence for each; none if all is well."""
        from muver.kb.index.looking import verify

        return verify(self.folder)

    def _put(self, entities: Source, overwrite: bool) -> Change:
        with self._changing() as snapshot:
            return changes.put(snapshot, self._machinery, entities, overwrite)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Snapshot]:
        """The newest snapshot, whole and held for a change; what follows it is taken in the end."""
        with writing(self.folder):
            snapshot = Snapshot.now(self.folder, self._snapshot).checked()
            yield snapshot
            self._store = self._store._replace(snapshot=Snapshot.now(self.folder, snapshot))
