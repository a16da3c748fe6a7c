"""Find and remove what lies beside the files to keep."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from muver.io.progress import logger


def strays(folder: Path, kept: Iterable[Path]) -> Iterator[Path]:
    """Everything below a folder except ``kept`` and its parent folders.

    ``kept`` are paths of folders, kept whole, or of files without their suffixes; files with any
    suffix are kept.
    """
    kept = set(kept)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path in kept or (path.is_file() and any(_belongs(path, one) for one in kept)):
            continue
        if path.is_dir() and any(path in one.parents for one in kept):
            yield from strays(path, kept)
        else:
            yield path


def _belongs(path: Path, stem: Path) -> bool:
    """Whether a path is the stem plus a suffix; names may contain dots."""
    return path.parent == stem.parent and path.name.startswith(f"{stem.name}.")


def remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        logger.info("removing %s", path)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files if not file.is_dir())
