"""Write files whole or not at all, hash and remove them; and what a stage's manifest says."""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from muver import __version__
from muver.io.errors import InputError, disk_errors, quoted, read_errors, repeated
from muver.io.locks import locked
from muver.io.progress import logger

BESIDE = ".muver.tmp"  # ends the names of folders for a time
WRITTEN: list[Path] = []  # through atomic_path, by this process


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Give a temporary name beside ``path`` to write to; rename it to ``path`` on success.

    The temporary name is unique, so that a process left over from a killed run cannot mix its
    bytes with ours. On an exception the temporary file is removed and ``path`` stays as it was.
    The file (or all of a folder) is on the disk before its name is, so that a loss of power leaves
    nothing that looks finished and is not.

    A pipe or a device, such as ``/dev/stdout``, is written to and stays what it is.
    """
    path = Path(path)
    special = path.exists() and not (path.is_file() or path.is_dir())
    beside = Path(tempfile.gettempdir(), path.name) if special else path
    temporary = beside.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        if special:
            with temporary.open("rb") as written, path.open("wb") as sink:
                shutil.copyfileobj(written, sink)
            temporary.unlink()
            return
        synchronise_all(temporary)
        os.replace(temporary, path)
        synchronise(path.parent)
        WRITTEN.append(path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # it may not exist yet
            temporary.unlink()
        filename = getattr(error, "filename", None)
        if filename is None or str(filename) in {str(p) for p in (temporary, *path.parents)}:
            with disk_errors(path, "This file is as it was."):
                raise
        raise


@contextlib.contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Give a new folder on the same disk as ``path``, and remove it in the end.

    What killed processes left in the same place is removed too; nobody holds its lock.
    """
    with contextlib.ExitStack() as held:
        with disk_errors(path, "Nothing was changed."):
            path.parent.mkdir(parents=True, exist_ok=True)
            for left in path.parent.glob(f".*.????????{BESIDE}/"):
                with contextlib.suppress(OSError, InputError), locked(left, False, folder=True):
                    shutil.rmtree(left, ignore_errors=True)
            folder = _held_folder(path, held)
        held.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)  # it may be renamed to ``path``
        yield folder


def _held_folder(path: Path, held: contextlib.ExitStack) -> Path:
    """A new folder beside ``path`` whose lock is held; one that others took for abandoned before
    it was locked is made again.
    """
    while True:
        folder = Path(tempfile.mkdtemp(BESIDE, f".{path.name}.", path.parent))
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            with contextlib.suppress(InputError):  # without locks nobody removes it
                held.enter_context(locked(folder, False, folder=True))
            if folder.exists():
                return folder


def synchronise(path: Path) -> None:
    """Flush a file's bytes, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def synchronise_all(path: Path) -> None:
    """Flush a file, or a folder with everything in it."""
    for inner in (*path.rglob("*"), path):
        synchronise(inner)


def copy(source: Path, path: Path, link: bool = False) -> None:
    """Copy a file through :func:`atomic_path`, or give it a ``link`` where the file system can.

    On a full disk the system's error names ``source``; ours names ``path``.
    """
    with (
        open(source, "rb"),  # it may be missing, which is no error of ``path``
        disk_errors(path, "This file is as it was."),
        atomic_path(path) as temporary,
    ):
        if link:
            with contextlib.suppress(OSError):  # another file system, or one without links
                os.link(source, temporary)
                return
        shutil.copyfile(source, temporary)


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text through :func:`atomic_path`, with Unix line ends on every system."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))


def append_text(path: Path, text: str) -> None:
    """Add UTF-8 text to a file, which others may do at the same time.

    A file that is linked from elsewhere, such as DVC's cache, is copied first: what is there stays.
    """
    with contextlib.ExitStack() as held:
        with contextlib.suppress(InputError):  # some file systems have no locks
            held.enter_context(locked(path.parent, True, folder=True))
        if path.is_symlink() or (path.exists() and path.stat().st_nlink > 1):
            with atomic_path(path) as temporary:
                shutil.copyfile(path, temporary)
        with path.open("ab") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        synchronise(path.parent)


def write_json(path: str | Path, value: Any) -> None:
    """Write indented JSON through :func:`atomic_path`; it may hold :class:`.typed.Record`."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=msgspec.to_builtins)
    write_text(path, f"{text}\n")


def read_json(path: str | Path, remedy: str = "") -> Any:
    """Read a JSON file, with or without a byte-order mark; errors end with a ``remedy``."""
    with read_errors(path, remedy):  # also an integer of 5,000 digits
        try:
            return parse_json(Path(path).read_text(encoding="utf-8-sig"))
        except json.JSONDecodeError as error:
            where = f"{path}, line {error.lineno}"
            raise InputError(f"{where}: not valid JSON ({error.msg}). {remedy}".rstrip()) from None


def parse_json(text: str) -> Any:
    """Values of JSON; a ValueError if an object has a key twice, of which Python takes the last."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = quoted(repeated(key for key, _ in pairs))
        raise ValueError(f"the key {twice} comes twice; leave one out")
    return values


CHECKSUM = "sha256"  # the key in a JSON file that has it of all else there


def short_hash(value: Any, length: int = 12) -> str:
    """The first ``length`` hexadecimal digits of the SHA-256 of a JSON-able value.

    Keys are sorted and nothing is spaced, so that equal values give equal text.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:length]


def sha256_of(path: str | Path) -> str:
    with read_errors(path, "Expected a file that you may read."), open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_all(hashes: Mapping[str, str]) -> str:
    """The SHA-256 of files' names and hashes, whatever their order."""
    lines = (f"{name}\0{sha256}\n" for name, sha256 in sorted(hashes.items()))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def strays(folder: Path, kept: Iterable[Path]) -> Iterator[Path]:
    """Everything below a folder except ``kept`` and its parent folders.

    ``kept`` are paths of folders, kept whole, or of files without their suffixes; files with any
    suffix are kept.
    """
    kept = set(kept)
    # Names may contain dots, so that a suffix is what follows the whole of a kept name.
    starts = tuple(f"{path}." for path in kept)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path in kept or (path.is_file() and str(path).startswith(starts)):
            continue
        if path.is_dir() and any(path in file.parents for file in kept):
            yield from strays(path, kept)
        else:
            yield path


def remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        logger.info("removing %s", path)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.lstat().st_size for file in files if not file.is_dir())


def write_manifest(
    path: str | Path,
    stage: str,
    settings: Mapping[str, Any],
    inputs: Mapping[str, str],
    **more: Any,
) -> None:
    """Write what made a stage's output: settings, hashes of the inputs, our version.

    The manifest has neither times nor the git commit: the same work gives the same bytes, so a
    repeat changes nothing downstream.
    """
    write_json(
        path,
        {"stage": stage, "muver": __version__, "settings": settings, "inputs": inputs, **more},
    )
