"""Unpacking archives that others made: nothing leaves the folder, nothing half is used."""

import bz2
import contextlib
import gzip
import io
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from muver.io.checking import disk_errors
from muver.io.errors import InputError
from muver.io.files import folder_beside

# ValueError and RuntimeError: what the two libraries make of headers that they did not expect.
DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, ValueError,
    RuntimeError,
)  # fmt: skip
COMPRESSIONS = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
# No dataset comes near these: KILT's largest file has 35 GB, and the largest wiki of realworlds
# 38,911 files. Names are bounded as Linux bounds them, a part of a path and all of it.
MOST_BYTES, MOST_MEMBERS, LONGEST_PART, LONGEST_NAME = 1 << 36, 100_000, 255, 4096
PIECE = 1 << 20  # bytes read at a time; a header that is longer has nothing of a dataset in it
FILE, FOLDER = stat.S_IFREG, stat.S_IFDIR


class Refused(Exception):
    """An archive with something in it that no dataset has."""


class Member(NamedTuple):
    """What an archive says of a file in it; ``kind`` is as of :func:`stat.S_IFMT`, 0 another."""

    name: str
    size: int
    kind: int
    content: Callable[[], IO[bytes]]


@contextlib.contextmanager
def unpacked(archive: str | Path, beside: str | Path) -> Iterator[Path]:
    """Unpack a tar (plain, gz, bz2, xz) or zip into a temporary folder that is removed at the end.

    Parameters
    ----------
    archive
        The archive; its contents tell its kind.
    beside
        The folder is made next to this path, so that files can be renamed into it.
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


def _unpack(archive: Path, folder: Path) -> None:
    try:
        left = MOST_BYTES
        members = _in_zip if zipfile.is_zipfile(archive) else _in_tar
        for number, member in enumerate(members(archive)):
            left -= member.size
            if left < 0 or number >= MOST_MEMBERS:
                raise Refused(f"more than {MOST_MEMBERS} members or {MOST_BYTES} bytes")
            path = folder / _checked(member)
            if member.kind == FOLDER:
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            with member.content() as content, path.open("wb") as file:
                shutil.copyfileobj(content, file, PIECE)
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


def _checked(member: Member) -> str:
    """The name of a file or folder that stays within its folder.

    Nothing is left to the filters of `tarfile`, which links could trick (CVE-2025-4517).
    """
    name = PurePosixPath(member.name)
    shown = repr(member.name[:LONGEST_PART])
    if member.kind not in (FILE, FOLDER):
        raise Refused(f"{shown} is a link or a device")
    if name.is_absolute() or ".." in name.parts:
        raise Refused(f"{shown} would leave its folder")
    longest = max((len(part.encode(errors="surrogateescape")) for part in name.parts), default=0)
    if longest > LONGEST_PART or len(member.name) > LONGEST_NAME or "\0" in member.name:
        raise Refused(f"{shown}... is no name of a file")
    return member.name


def _in_zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as file:
        for one in file.infolist():
            kind = FOLDER if one.is_dir() else stat.S_IFMT(one.external_attr >> 16) or FILE
            yield Member(one.filename, one.file_size, kind, partial(file.open, one))


def _in_tar(archive: Path) -> Iterator[Member]:
    with archive.open("rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        opener = next((COMPRESSIONS[one] for one in COMPRESSIONS if start.startswith(one)), None)
        stream = _Pieces(opener(raw) if opener else raw)
        with tarfile.open(fileobj=stream, mode="r:") as tar:
            for one in tar:
                plain = one.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not one.issparse()
                kind = FOLDER if one.isdir() else FILE if plain else 0
                yield Member(one.name, one.size, kind, partial(tar.extractfile, one))
            # The members end before the compressed stream does: read on, or a cut goes unseen.
            for _ in range(MOST_BYTES // PIECE):
                if not stream.read(PIECE):
                    return
            raise Refused(f"more than {MOST_BYTES} bytes behind its last member")


class _Pieces(io.BufferedReader):
    """Reads no more at once than a piece: `tarfile` holds headers in memory, whatever they ask."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= PIECE:
            raise Refused(f"a header of {size} bytes")
        return super().read(size)
