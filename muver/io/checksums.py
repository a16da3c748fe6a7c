"""SHA-256 of the workflow's artifacts: a file whose bytes changed is told before it is used.

The files of an artifact ``build/DATASET/KIND/NAME-KEY``, or of a result ``results/DATASET/NAME``,
are listed in ``NAME-KEY.sha256`` beside it, as `sha256sum` writes them. What has no list, such as a
folder that DVC brought, is not checked.
"""

import glob
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from muver.io.errors import InputError
from muver.io.files import append_text, sha256_of
from muver.io.progress import logger
from muver.io.text import counted

ARTIFACT = re.compile(
    r".*?[-/][0-9a-f]{8}(?=[./]|$)"
    r"|(.*/)?(results/[^/]+/(figures/)?|recorded/)[^/.]+(?=\.(?!failed$))"
)
LINE = re.compile(r"^([0-9a-f]{64})  (.+)$", re.MULTILINE)


def list_of(path: Path) -> Path | None:
    """The list that an artifact's file or folder belongs to; None for any other path."""
    name = ARTIFACT.match(path.as_posix())
    return name and Path(f"{name[0]}.sha256")


def seal(written: Iterable[Path]) -> None:
    """Add the files of artifacts, which are on the disk, to their lists.

    Jobs that make parts of one artifact may do so at the same time: of several lines of a file the
    last one counts.
    """
    lines: dict[Path, list[str]] = {}
    for path in dict.fromkeys(written):
        if (where := list_of(path)) and path.is_file():
            for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):  # of a killed process
                left.unlink(missing_ok=True)
            name = os.path.relpath(path, where.parent)
            lines.setdefault(where, []).append(f"{sha256_of(path)}  {name}\n")
    for where, listed in lines.items():
        append_text(where, "".join(listed))


def damaged(where: Path, below: Path | None = None) -> Iterator[Path]:
    """Files of a list whose bytes are no longer those; only ``below`` a path, if one is given."""
    listed = {name: digest for digest, name in LINE.findall(where.read_text("utf-8", "replace"))}
    for name, digest in listed.items():
        path = where.parent / name
        wanted = below is None or path == below or below in path.parents
        if wanted and path.is_file() and digest_of(path) != digest:
            yield path


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, of which a process reads all once as long as nobody writes it."""
    there = path.stat()
    return _digest(path, there.st_ino, there.st_size, there.st_mtime_ns)


@cache
def _digest(path: Path, *_: int) -> str:
    return sha256_of(path)


def check(paths: Iterable[Path]) -> None:
    """Look whether the files and folders that a stage will read are as they were written.

    A damaged file is renamed, so that the next run makes it anew.
    """
    for path in paths:
        if path.exists() and not list_of(path):  # such as a link of build/DATASET/current
            path = Path(os.path.relpath(path.resolve()))
        if (where := list_of(path)) and where.is_file():
            for file in damaged(where, path):
                aside = file.with_name(f"{file.name}.damaged")
                with suppress(OSError):  # another job was faster, or nothing can be written
                    file.rename(aside)
                now = "Remove it" if file.exists() else f"It is called {aside.name} now"
                raise InputError(
                    f"{file}: its bytes are not those that were written ({where}). {now}; run the "
                    "same command again, which makes it anew."
                )


def verify(*, folder: Path = Path("build")) -> None:
    """Look whether everything in build/ is as it was written.

    Parameters
    ----------
    folder
        What lies below it is checked.
    """
    lists = sorted(Path(folder).rglob("*.sha256"))
    if not lists:
        raise InputError(f"{folder}: no artifact with a list of checksums lies below it.")
    wrong = [path for where in lists for path in damaged(where)]
    for path in wrong:
        print(f"damaged: {path}")
    if wrong:
        number = counted(len(wrong), "damaged file")
        raise InputError(f"{number}. Remove what is named above; the next run makes it anew.")
    logger.info("%s as written", counted(len(lists), "artifact"))
