"""Unpacking archives that others made: nothing leaves the folder, nothing half is used."""

import contextlib
import lzma
import shutil
import tarfile
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from muver.io.checking import disk_errors
from muver.io.errors import InputError

DAMAGE = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError)


@contextlib.contextmanager
def unpacked(archive: str | Path, beside: str | Path) -> Iterator[Path]:
    """Unpack a tar (plain, gz, bz2, xz) or zip into a temporary folder that is removed at the end.

    Parameters
    ----------
    archive
        The archive; its kind is told from its contents.
    beside
        The folder's place: next to this path, so that files can be renamed into it.

    Raises
    ------
    InputError
        If the archive is damaged or cut short, has a path outside its folder or a link, or the
        disk refuses.
    """
    beside = Path(beside)
    folder = beside.with_name(f".{beside.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with disk_errors(folder, "Nothing was changed."):
            folder.mkdir(parents=True)
            _unpack(Path(archive), folder)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_root(folder: str | Path, names: Iterable[str]) -> Path:
    """The topmost folder at or below ``folder`` that holds everything in ``names``.

    Raises
    ------
    InputError
        If there is none.
    """
    folder, names = Path(folder), list(names)
    candidates = [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())]
    for path in sorted(candidates, key=lambda path: len(path.parts)):
        if all((path / name).exists() for name in names):
            return path
    raise InputError(f"{folder}: no folder in it holds {', '.join(names)}.")


def _unpack(archive: Path, folder: Path) -> None:
    members = _zip_members if zipfile.is_zipfile(archive) else _tar_members
    try:
        for name, open_member in members(archive):
            target = folder / _safe(name, archive)
            target.parent.mkdir(parents=True, exist_ok=True)
            with open_member() as source, open(target, "wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
    except DAMAGE as error:
        raise _damaged(archive, error) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise _damaged(archive, error) from error  # bz2 reports damaged data this way


def _tar_members(archive: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    """Name and opener of every file; folders come with their files."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile():
                yield member.name, lambda member=member: tar.extractfile(member)
            elif not member.isdir():
                raise _unsafe(archive, member.name, "a link or device")
        # The members end before the compressed stream does: read on, or a cut there goes unseen.
        while tar.fileobj.read(1 << 20):
            pass


def _zip_members(archive: Path) -> Iterator[tuple[str, Callable[[], IO[bytes]]]]:
    with zipfile.ZipFile(archive) as file:
        for member in file.infolist():
            if member.external_attr >> 28 == 0xA:  # Unix mode S_IFLNK
                raise _unsafe(archive, member.filename, "a link")
            if not member.is_dir():
                yield member.filename, lambda member=member: file.open(member)


def _safe(name: str, archive: Path) -> PurePosixPath:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0] or not path.parts:
        raise _unsafe(archive, name, "a path outside its folder")
    return path


def _unsafe(archive: Path, name: str, what: str) -> InputError:
    return InputError(
        f"{archive}: holds {what} ({name!r}), so nothing was unpacked from it. "
        "Get the archive from its authors' own address."
    )


def _damaged(archive: Path, error: Exception) -> InputError:
    return InputError(
        f"{archive}: not a complete tar or zip archive ({error}). "
        "Delete it and run the same command again, or fetch it anew by hand."
    )
