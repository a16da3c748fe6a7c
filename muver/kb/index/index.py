"""An index of one's own knowledge base in its own files: made, opened, changed."""

import atexit
import contextlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from muver.io.errors import InputError, quoted
from muver.io.files import folder_beside, size_of, write_text
from muver.io.typed import read
from muver.kb.importing.build import as_kb
from muver.kb.index import changes
from muver.kb.index.answer import known_world
from muver.kb.index.calibration import read_calibration
from muver.kb.index.changes import Change, Source
from muver.kb.index.entity import Entity
from muver.kb.index.index_settings import DEPTH, Making
from muver.kb.index.open_index import OpenIndex
from muver.kb.index.segments import has_views
from muver.kb.index.shown import card_of
from muver.kb.index.snapshot import Snapshot
from muver.kb.index.state import FILE, LOCK, MODEL, SEGMENTS, writing
from muver.retriever.answers import Mention
from muver.retriever.encoders.hub import fetched, push_folder


class Index(OpenIndex):
    """An index in its own files, which can be changed.

    An object answers from one snapshot. It sees its own changes at once, and those of other
    processes after :meth:`refresh`. A second writer, in this process or another, is refused while
    one is at work.

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
        store = self._store  # a change in another thread may replace it meanwhile
        snapshot = Snapshot.now(self.folder, store)
        calibration = read_calibration(self.folder, snapshot.state.fingerprint)
        return self._newer(store, snapshot, calibration)

    def entities(self) -> Iterable[Entity]:
        """All entities, in no particular order."""
        return self._store.entities()

    def compared(self, mention: Mention, gold: str, deep: int) -> np.ndarray:
        """(signals, some) float32 what each signal says of the best ``deep`` candidates by each of
        them, and at last of the gold entity; the signals in the order of the weights.
        """
        store = self._store
        known_world(mention.world, store.worlds, f"mention {quoted(mention.text)}")
        asked, _, signals = store.question([mention], mention.world, dict.fromkeys(self.weights, 1))
        scores = np.stack([s.scores(slice(0, 1))[0] for s in signals.values()])
        place = asked.place(*store.place(gold, mention.world))
        scores[:, place], of_gold = -np.inf, scores[:, place].copy()
        scores[:, ~asked.live] = -np.inf
        deep = min(deep, len(asked) - 1)
        best = np.unique(np.argpartition(-scores, deep, axis=1)[:, :deep])
        best = best[np.isfinite(scores[:, best]).all(axis=0)]
        return np.column_stack([scores[:, best], of_gold])

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

    def info(self) -> dict[str, Any]:
        """Model, settings, counts and sizes, as JSON has them."""
        state, folder = self._store.state, self.folder
        return {
            "folder": str(folder),
            "generation": state.generation,
            "fingerprint": state.fingerprint,
            "model": state.model and state.model.name,
            "trained": state.model and state.model.trained,
            "weights": state.weights,
            "settings": state.settings.as_dict(),
            "vectors": state.columns,
            "entities": state.entities,
            "views": sum(s.views for s in state.segments) if self.has_views else None,
            **self._coverage(),
            "worlds": self._store.worlds,
            "segments": len(state.segments),
            "removed": sum(len(segment.removed) for segment in state.segments),
            "bytes": size_of(folder / SEGMENTS),
            "model_bytes": size_of(folder / MODEL) if state.model else 0,
        }

    def _coverage(self) -> dict[str, float | None]:
        """How many views an entity has, and how much of the descriptions none of them reads."""
        parts, columns = self._store.parts, self._store.state.columns
        views = unread = None
        if len(self) and "views" in columns:
            counts = (np.diff(part.vectors("views")[0])[part.live] for part in parts)
            views = round(sum(int(count.sum()) for count in counts) / len(self), 1)
        if len(self) and has_views(columns):
            characters, missed = (sum(c) for c in zip(*(p.unread for p in parts), strict=True))
            unread = round(100 * missed / max(characters, 1), 1)
        return {"views_an_entity": views, "unread_percent": unread}

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Snapshot]:
        """The newest snapshot, held for a change; what follows it is taken in the end."""
        if self.fixed:
            raise InputError(
                f"{self.folder}: {self.fixed}, not to be changed. Change the index in its folder, "
                "or a copy by save_pretrained."
            )
        with writing(self.folder):
            snapshot = Snapshot.now(self.folder, self._store)
            yield snapshot
            self._store = Snapshot.now(self.folder, snapshot)


def opened_index(folder: Path, rerank: Path | None = None, depth: int = DEPTH) -> Index:
    """An index, whose first ``depth`` candidates the cross-encoder in the folder ``rerank`` ranks
    again.
    """
    index = Index.open(folder)
    if rerank is None:
        return index
    from muver.kb.index.reranked import Reranker
    from muver.retriever.encoders.cross import CrossEncoder
    from muver.retriever.encoders.device import load_model

    return index.reranked(Reranker(load_model(rerank, CrossEncoder), depth))
