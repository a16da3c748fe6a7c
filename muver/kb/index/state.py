"""The state of an index: one file, replaced by renaming, that names everything else.

INDEX/index.json     settings, model, segments and which of their entities are gone
INDEX/previous.json  the same before the last change, for `muver index repair`
INDEX/segments/      a file each, never changed
INDEX/model/         the model, where there is one
INDEX/lock           held by whoever changes the index
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from muver import __version__
from muver.io.errors import InputError, disk_errors
from muver.io.files import CHECKSUM, read_json, short_hash, write_json, write_text
from muver.io.locks import locked
from muver.io.typed import Record, as_record, read
from muver.kb.index.index_settings import Asking, Making, Weights

STAGE = "index create"
FORMAT = 4
FILE = "index.json"
PREVIOUS = "previous.json"
SEGMENTS = "segments"
MODEL = "model"
LOCK = "lock"
CURE = (
    f"Bring it back from a copy, or make the index again; where there is a {PREVIOUS}, `muver "
    "index repair` goes back to before the last change."
)


class BeingChanged(InputError):
    """Somebody else is changing the index."""


class Damaged(InputError):
    """A file of an index is not as it was written."""

    def __init__(self, path: Path, why: str):
        super().__init__(f"{path}: damaged ({why}). {CURE}")


class Model(Record):
    name: str  # as the user gave it
    fingerprint: str  # of its directory
    trained: bool  # or an encoder as its makers left it
    punkt: str  # "unicode", by whose rules sentences are found; of an older index a fingerprint
    dimension: int
    metric: str  # by which vectors are compared
    scale: float  # by which scores are divided: then unit vectors' products are cosines
    columns: list[str]  # of vectors that an entity has (muver.kb.index.index_settings.OF_COLUMN)


class Segment(Record):
    """A file of entities, and the rows of those that are gone."""

    name: str
    sha256: str
    bytes: int
    entities: int
    views: int
    removed: list[int] = []

    @property
    def live(self) -> int:
        return self.entities - len(self.removed)


class State(Record):
    """An index at one time; ``generation`` grows with each change."""

    settings: Making
    weights: Weights
    model: Model | None = None
    row: bool = False  # of the workflow, from which it was exported
    generation: int = 0
    segments: list[Segment] = []
    stage: Literal[STAGE] = STAGE
    format: Literal[FORMAT] = FORMAT
    muver: str = __version__

    @property
    def entities(self) -> int:
        return sum(segment.live for segment in self.segments)

    @property
    def columns(self) -> list[str]:
        """The columns of vectors."""
        return self.model.columns if self.model else []

    @property
    def fingerprint(self) -> str:
        """Equal for indexes that give equal answers if they have the same entities."""
        return short_hash([self.made_with, self.weights])

    @property
    def made_with(self) -> str:
        """Equal for indexes whose entities are kept in the same way."""
        model = self.model and (self.model.fingerprint, self.model.punkt)
        return short_hash([self.format, self.settings.as_dict(), model])

    def asking(self, settings: Asking) -> "State":
        """The same with other settings."""
        if settings.aggregate and "views" not in self.columns:
            raise InputError("settings: the aggregate is of views, and this index has none.")
        values = self.settings.as_dict() | settings.as_dict()
        making = read(Making, values, "settings")
        making.check_own()
        return replace(self, settings=making)

    def after(self, segments: list[Segment]) -> "State":
        return replace(self, generation=self.generation + 1, segments=segments, muver=__version__)


def read_state(folder: str | Path, name: str = FILE) -> State:
    """The state of an index now, or with another name that of before."""
    path = Path(folder, name)
    raw: Any = read_json(path, CURE) if path.is_file() else None
    if not isinstance(raw, dict) or raw.get("stage") != STAGE:
        if Path(folder, PREVIOUS).is_file():
            raise Damaged(path, "gone" if raw is None else "not the state of an index")
        what = "not an index of one's own entities" if Path(folder).exists() else "no such folder"
        raise InputError(f"{folder}: {what}. Make an index with `muver index create`.")
    if (format := raw.get("format")) != FORMAT:
        raise InputError(
            f"{folder}: another version of muver made this index (format {format}, here {FORMAT}). "
            "Make it again with `muver index create`."
        )
    if raw.pop(CHECKSUM, None) != short_hash(raw, 64):
        raise Damaged(path, "its SHA-256 is not the one that it names")
    return as_record(raw, path, State, "the state of an index", "Make the index again.")


def write_state(folder: Path, state: State) -> None:
    """Make this the index's state, which readers get from now on; the one before is kept.

    Both are on the disk in the end. An index that is just made has none before.
    """
    path = folder / FILE
    if state.generation > 1:
        write_text(folder / PREVIOUS, path.read_text(encoding="utf-8"))
    replace_state(path, state)


def replace_state(path: Path, state: State) -> None:
    raw = msgspec.to_builtins(state)
    write_json(path, {**raw, CHECKSUM: short_hash(raw, 64)})


@contextlib.contextmanager
def writing(folder: str | Path) -> Iterator[None]:
    """Hold an index's lock, which ends with the process; the file says who has it."""
    path = Path(folder, LOCK)
    with contextlib.ExitStack() as held:
        with disk_errors(path, "The index is as it was."):
            try:
                descriptor = held.enter_context(locked(path, wait=False))
            except BlockingIOError:
                who = path.read_text("utf-8", "replace") or "another process"
                raise BeingChanged(
                    f"{folder}: is being changed by {who}. Wait until it has ended, then run the "
                    "same command again."
                ) from None
        holder = f"process {os.getpid()} ({' '.join([Path(sys.argv[0]).name, *sys.argv[1:3]])})"
        os.ftruncate(descriptor, 0)  # of one that was killed
        os.pwrite(descriptor, holder.encode("utf-8", "replace"), 0)
        held.callback(os.ftruncate, descriptor, 0)
        for left in Path(folder).rglob(".*.tmp"):  # by a change that was killed
            left.unlink()
        yield
