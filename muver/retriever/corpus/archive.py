"""Unpack other people's archives: no file leaves the folder, no damaged archive is used."""

import bz2
import contextlib
import errno
import gzip
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from muver.io.errors import InputError, disk_errors
from muver.io.files import folder_beside

# The two libraries raise ValueError and RuntimeError for headers that they did not expect.
DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, ValueError,
    RuntimeError, LookupError,
)  # fmt: skip
# No dataset comes near these: KILT's largest file has 35 GB, and the largest wiki of realworlds
# 38,911 files.
MOST_BYTES, MOST_MEMBERS = 1 << 36, 100_000
PIECE = 1 << 20  # bytes read at a time
FILE, FOLDER = stat.S_IFREG, stat.S_IFDIR
# Of a name that is too long, or a file's and a folder's: the archive's fault, not the disk's.
BAD_NAMES = {errno.ENAMETOOLONG, errno.EEXIST, errno.EISDIR, errno.ENOTDIR}


class Refused(Exception):
    """The archive contains something that no dataset has."""


class Member(NamedTuple):
    """A member of an archive; ``kind`` is as of :func:`stat.S_IFMT`, or 0 otherwise (in a tar)."""

    name: str
    size: int
    kind: int
    content: Callable[[], IO[bytes]]


@contextlib.contextmanager
def unpacked(archive: str | Path, beside: str | Path) -> Iterator[Path]:
    """Unpack a tar (plain, gz, bz2, xz) or zip into a temporary folder that is removed at the end.

    The folder is made next to ``beside``, so that its files can be moved there by renaming. An
    archive is refused if it is cut short or larger than any dataset, or if a member is a link, a
    device, or would leave the folder.
    """
    with folder_beside(Path(beside)) as folder:
        with disk_errors(folder, "Nothing is left of what was unpacked."):
            _unpack(Path(archive), folder)
        yield folder


def find_root(folder: str | Path, names: Iterable[str]) -> Path:
    """The topmost folder at or below ``folder`` that holds everything in ``names``."""
    folder, names = Path(folder), list(names)
    candidates = [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())]
    for path in sorted(candidates, key=lambda path: len(path.parts)):
        if all((path / name).exists() for name in names):
            return path
    raise InputError(f"{folder}: no folder in it holds {', '.join(names)}.")


def decompressed(file: BufferedReader) -> IO[bytes]:
    """A file's bytes without gz, bz2 or xz; its first bytes tell, as names mislead."""
    start = file.peek(6)
    for magic, library in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ\x00", lzma)):
        if start.startswith(magic):
            return library.open(file)
    return file


def _unpack(archive: Path, folder: Path) -> None:
    try:
        left = MOST_BYTES
        members = _in_zip if zipfile.is_zipfile(archive) else _in_tar
        for number, member in enumerate(members(archive)):
            left -= member.size
            if left < 0 or number >= MOST_MEMBERS:
                raise Refused(f"more than {MOST_MEMBERS} members or {MOST_BYTES} bytes")
            _check(member)
            try:
                _write(member, folder / member.name)
            except OSError as error:
                if error.errno in BAD_NAMES:
                    raise Refused(f"{member.name!r} has no place ({error.strerror})") from error
                raise
    except Refused as error:
        raise InputError(
            f"{archive}: not unpacked, because it is not what a dataset is made of: {error}. "
            "Get the archive from its authors' own address."
        ) from error
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's; bz2 reports damaged data as an OSError without a number
        raise InputError(
            f"{archive}: not a complete tar or zip archive ({error}). "
            "Delete it and run the same command again, or fetch it anew by hand."
        ) from error


def _write(member: Member, path: Path) -> None:
    if member.kind == FOLDER:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with member.content() as content, path.open("wb") as file:
        shutil.copyfileobj(content, file, PIECE)


def _check(member: Member) -> None:
    """Refuse what is no file or folder that stays within its folder.

    We do not rely on the filters of `tarfile`, which links could trick (CVE-2025-4517).
    """
    name = PurePosixPath(member.name)
    if member.kind not in (FILE, FOLDER):
        raise Refused(f"{member.name!r} is a link or a device")
    if name.is_absolute() or ".." in name.parts:
        raise Refused(f"{member.name!r} would leave its folder")


def _in_zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as file:
        for info in file.infolist():
            kind = FOLDER if info.is_dir() else stat.S_IFMT(info.external_attr >> 16) or FILE
            yield Member(info.filename, info.file_size, kind, partial(file.open, info))


def _in_tar(archive: Path) -> Iterator[Member]:
    with archive.open("rb") as raw:
        stream = decompressed(raw)
        with tarfile.open(fileobj=stream, mode="r:") as tar:
            for info in tar:
                plain = info.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not info.issparse()
                kind = FOLDER if info.isdir() else FILE if plain else 0
                yield Member(info.name, info.size, kind, partial(tar.extractfile, info))
        # The compressed stream goes on after the last member: read it all to notice a cut.
        while stream.read(PIECE):
            pass
