"""Unpacking archives that others made: nothing leaves the folder, nothing half is used."""

import contextlib
import lzma
import shutil
import tarfile
import uuid
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from muver.io.checking import disk_errors
from muver.io.errors import InputError

DAMAGE = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError)


@contextlib.contextmanager
def unpacked(archive: str | Path, beside: str | Path) -> Iterator[Path]:
    """Unpack a tar (plain, gz, bz2, xz) or zip into a temporary folder that is removed at the end.

    Parameters
    ----------
    archive
        The archive; its contents tell its kind.
    beside
        The folder is made next to this path, so that files can be renamed into it.

    Raises
    ------
    InputError
        If the archive is damaged or cut short, if a tar has a member that would leave its folder
        or a device, or if the disk refuses.
    """
    beside = Path(beside)
    folder = beside.with_name(f".{beside.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        with disk_errors(folder, "Nothing is left of what was unpacked."):
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
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as file:
                file.extractall(folder)  # leaves out what of a name would lead elsewhere
            return
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
            # The members end before the compressed stream does: read on, or a cut goes unseen.
            while tar.fileobj.read(1 << 20):
                pass
    except tarfile.FilterError as error:
        raise InputError(
            f"{archive}: not unpacked, because a member would leave its folder or is a device "
            f"({error}). Get the archive from its authors' own address."
        ) from error
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the disk's; bz2 reports damaged data as an OSError without a number
        raise InputError(
            f"{archive}: not a complete tar or zip archive ({error}). "
            "Delete it and run the same command again, or fetch it anew by hand."
        ) from error
