"""What ``muver index create``, ``add`` and the others do: call the library, print the outcome."""

import contextlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from muver.io.errors import InputError
from muver.io.files import folder_beside
from muver.io.progress import duration, logger
from muver.kb.index.changes import check_free
from muver.kb.index.index import Change, Index
from muver.kb.index.looking import sizes
from muver.kb.index.settings import Making
from muver.kb.index.state import FILE, has_checksum

STDIN = "-"


def create(
    source: Path,
    model: str,
    out: Path,
    settings: Making,
    views: str | None = None,
    merge: int | None = None,
    bm25_weight: float | None = None,
    punkt: Path | None = None,
    world: str | None = None,
) -> None:
    """Make an index (:meth:`muver.kb.index.Index.create`).

    Parameters
    ----------
    source
        Folder of `muver kb import`, or a file that it reads.
    views, merge, bm25_weight
        In place of what the settings say.
    """
    started = time.monotonic()
    check_free(out)
    given = {"views": views, "merge": merge, "bm25_weight": bm25_weight}
    own = settings.as_dict() | {key: one for key, one in given.items() if one is not None}
    with _kb(source, world, out) as kb:
        index = Index.create(out, kb, model, punkt, **own)
    logger.info("%s: %s in %s", out, sizes(index.info()), duration(time.monotonic() - started))


def add(index: Path, source: Path, world: str | None = None) -> None:
    """Add entities (:meth:`muver.kb.index.Index.add`)."""
    _put(index, source, world, "add")


def update(index: Path, source: Path, world: str | None = None) -> None:
    """Add or replace entities (:meth:`muver.kb.index.Index.update`)."""
    _put(index, source, world, "update")


def remove(
    index: Path, ids: Sequence[str], file: str | None = None, world: str | None = None
) -> None:
    """Remove entities (:meth:`muver.kb.index.Index.remove`)."""
    wanted = [*ids, *(_lines(file) if file is not None else ())]
    if not wanted:
        raise InputError("no ids. Name some, or a file with --from FILE.")
    opened = Index.open(index)
    _tell(opened, opened.remove(wanted, world))


def push(index: Path, where: str) -> None:
    """Bring a collection of Qdrant to an index (:meth:`muver.kb.index.Index.push`)."""
    opened = Index.open(index)
    _tell(opened, opened.push(where))


def compact(index: Path) -> None:
    """Make an index small (:meth:`muver.kb.index.Index.compact`)."""
    opened = Index.open(index)
    before = opened.info()["bytes"]
    opened.compact()
    after = opened.info()["bytes"]
    logger.info("%s: %.1f MB, %.1f MB before", index, after / 1e6, before / 1e6)


def show(index: Path, as_json: bool = False) -> None:
    """Print what an index is."""
    from muver.kb.index.looking import in_terminal

    info = Index.open(index).info()
    print(json.dumps(info, indent=2) if as_json else in_terminal(info))


def verify(index: Path) -> None:
    """Look at the files of an index."""
    from muver.kb.index.looking import verify as look

    if wrong := look(index):
        raise InputError("\n".join(wrong))
    logger.info("%s: all files are as they were written", index)
    if not has_checksum(index):
        logger.info("%s: has no checksum of its own yet; the next change writes one", index / FILE)


def repair(index: Path) -> None:
    """Bring a damaged index back to what it was before its last change."""
    from muver.kb.index.looking import repair as bring_back

    if (state := bring_back(index)) is None:
        logger.info("%s: all files are as they were written; nothing to repair", index)
    else:
        done = "what it was before its last change, which has to be made again"
        logger.info("%s: %s; %d entities", index, done, state.entities)


def _put(folder: Path, source: Path, world: str | None, how: str) -> None:
    index = Index.open(folder)
    only = index.worlds[0] if len(index.worlds) == 1 else None
    with _kb(source, world or only, folder) as kb:
        _tell(index, getattr(index, how)(kb))


@contextlib.contextmanager
def _kb(source: Path, world: str | None, beside: Path) -> Iterator[Path]:
    """A canonical knowledge base: the one given, or made of a file meanwhile."""
    if source.is_dir():
        yield source
        return
    from muver.kb.importing.build import import_kb
    from muver.kb.importing.settings import Import

    if not source.is_file():
        raise InputError(f"{source}: no such folder or file.")
    with folder_beside(beside) as folder:
        import_kb([source], folder / "kb", Import(), world=world)
        yield folder / "kb"


def _lines(file: str) -> list[str]:
    try:
        text = sys.stdin.read() if file == STDIN else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--from {file}: cannot be read ({error}).") from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tell(index: Index, change: Change) -> None:
    counts: dict[str, Any] = structs.asdict(change)
    told = ", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing new"
    logger.info("%s: %s; %d entities now", index.folder, told, len(index))
