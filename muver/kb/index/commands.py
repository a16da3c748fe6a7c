"""What ``muver index create``, ``add`` and the others do: call the library, print the outcome."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from muver.io.errors import InputError, listed, read_errors
from muver.io.process import listening
from muver.io.progress import duration, logger
from muver.io.text import aligned, counted
from muver.io.typed import flat, read
from muver.kb.importing.build import as_kb
from muver.kb.importing.piped import STDIN, standard_input
from muver.kb.index import changes
from muver.kb.index.index import Change, Index
from muver.kb.index.index_settings import Making, in_words, read_weights

Columns = Sequence[tuple[str, str]]  # names, and the columns that they stand for


def create(
    source: Path,
    *,
    model: str | None = None,
    out: Path,
    settings: Making,
    weights: str | None = None,
    views: Literal["sentences", "global", "both"] | None = None,
    merge: int | None = None,
    world: str | None = None,
    columns: Columns = (),
) -> None:
    """Make an index of a knowledge base, without training.

    See :meth:`muver.kb.index.Index.create`.

    docs/own-data.md explains the choices.

    Parameters
    ----------
    source
        Folder of `muver kb import`, or a file that it reads.
    model
        An encoder, taken as it is (a directory, or a name on the hub); a trained model's directory;
        or bm25, for words alone. By default an index has no model: it compares words, and the
        characters of names.
    out
        Folder for the index.
    weights
        How much signals count, such as words=1,names=0; the others have their defaults.
    views
        One view a sentence, one of the whole description, or both; by default what a trained model
        was trained with.
    merge
        Layers of merged views, 0 to 4 (default: 0).
    world
        The world of a file's entities, as for `muver kb import`.
    columns
        NAME=COLUMN, as for `muver kb import`: which column of a file is which.
    """
    started = time.monotonic()
    asked = {"views": views, "merge": merge}
    values = settings.as_dict() | {key: value for key, value in asked.items() if value is not None}
    making = read(Making, values, "settings")
    chosen = read_weights(weights)
    changes.check_possible(out, model, making, chosen)
    with as_kb(source, out, world, dict(columns)) as kb:
        index = Index.create(out, kb, model, chosen, **values)
    size, took = index.info()["bytes"] / 1e6, duration(time.monotonic() - started)
    logger.info("%s: %s, %.1f MB in %s", out, _entities(index), size, took)
    logger.info("signals: %s", in_words(index.weights))


def _bringing(how: Literal["add", "update"]) -> Callable[..., None]:
    """The commands that bring entities into an index, which differ in one method of it."""

    def bring(
        index: Path, source: Path, *, world: str | None = None, columns: Columns = ()
    ) -> None:
        """Add entities, or replace them (:meth:`muver.kb.index.Index.update`).

        Only what is new or has changed is encoded. All of it is taken, or nothing.

        Parameters
        ----------
        source
            Folder of `muver kb import`, or a file that it reads.
        world
            The world of a file's entities, as for `muver kb import`; by default the index's only
            world, if it has one.
        columns
            NAME=COLUMN, as for `muver kb import`: which column of a file is which.
        """
        opened = Index.open(index)
        opened.check_changeable()
        before = opened.worlds
        only = before[0] if len(before) == 1 else None
        with as_kb(source, index, world, dict(columns), only) as kb:
            change = getattr(opened, how)(kb)
        if before and (new := sorted(set(opened.worlds).difference(before))):
            message = (
                "new worlds: %s. Ids are compared within a world; --world names one that is there"
            )
            logger.info(message, listed(new))
        _tell(index, opened, change)

    return bring


add, update = _bringing("add"), _bringing("update")


def remove(
    index: Path, ids: Sequence[str] = (), *, file: str | None = None, world: str | None = None
) -> None:
    """Remove entities from an index.

    See :meth:`muver.kb.index.Index.remove`.

    Parameters
    ----------
    ids
        The entities' ids.
    file
        A file with an id a line; - is standard input.
    world
        The entities' world, where several worlds have the same ids.
    """
    wanted = [*ids, *(_lines(file) if file is not None else ())]
    if not wanted:
        raise InputError("no ids. Name some, or a file with --from FILE.")
    opened = Index.open(index)
    _tell(index, opened, opened.remove(wanted, world))


def compact(index: Path) -> None:
    """Make an index small after many changes, and remove files that are no longer needed."""
    opened = Index.open(index)
    before = opened.info()["bytes"]
    opened.compact()
    after = opened.info()["bytes"]
    logger.info("%s: %.1f MB, %.1f MB before", index, after / 1e6, before / 1e6)


def show(index: Path, *, as_json: bool = False) -> None:
    """Show what an index is made with, and how large it is."""
    info = Index.open(index).info()
    if as_json:
        print(json.dumps(info, indent=2))
        return
    print("\n".join(aligned([(name, str(value)) for name, value in flat(info)])))


def verify(index: Path) -> None:
    """Look whether all files of an index are as they were written.

    The error names all that are not.
    """
    if wrong := changes.verify(index):
        raise InputError("\n".join(wrong))
    logger.info("%s: all files are as they were written", index)


def repair(index: Path) -> None:
    """Bring a damaged index back to what it was before its last change."""
    if (state := changes.repair(index)) is None:
        logger.info("%s: all files are as they were written; nothing to repair", index)
    else:
        done = "what it was before its last change, which has to be made again"
        logger.info("%s: %s; %s", index, done, counted(state.entities, "entity", "entities"))


def _lines(file: str) -> list[str]:
    with (
        read_errors(f"--from {file}"),
        standard_input() if file == STDIN else listening(Path(file)) as stream,
    ):
        text = stream.read().decode("utf-8-sig")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _tell(folder: Path, index: Index, change: Change) -> None:
    counts: dict[str, Any] = asdict(change)
    changes = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    logger.info("%s: %s; %s now", folder, changes or "nothing new", _entities(index))


def _entities(index: Index) -> str:
    return counted(len(index), "entity", "entities")
