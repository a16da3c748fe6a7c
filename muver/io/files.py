"""Write files whole or not at all, with manifests that say where they came from."""

import contextlib
import fcntl
import glob
import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from muver.io.checking import disk_errors
from muver.io.errors import InputError
from muver.version import __version__

WRITTEN: list[Path] = []  # through atomic_path, by this process


@contextlib.contextmanager
def atomic_path(path: str | Path, durable: bool = False) -> Iterator[Path]:
    """Give a temporary name beside ``path`` to write to; rename it to ``path`` on success.

    The temporary name is unique, so that a process left over from a killed run cannot mix its
    bytes with ours. On an exception the temporary file is removed and ``path`` stays as it was.
    If ``durable``, the file and then its name are flushed to the disk; otherwise the file may be
    empty after a loss of power.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        if durable:
            synchronise(temporary)
        os.replace(temporary, path)
        if durable:
            synchronise(path.parent)
        WRITTEN.append(path)
    except OSError as error:
        _remove(temporary)
        ours = {str(temporary), *(str(folder) for folder in path.parents)}
        if error.errno is not None and (error.filename is None or str(error.filename) in ours):
            raise InputError(
                f"{path}: cannot be written ({error.strerror}). Free some space or make the "
                "folder writable, then run the same command again; this file is as it was."
            ) from error
        raise
    except BaseException:
        _remove(temporary)
        raise


@contextlib.contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Give a new folder on the same disk as ``path``, and remove it in the end.

    Folders that killed processes left there are removed too; nobody holds their lock.
    """
    with contextlib.ExitStack() as own:
        with disk_errors(path, "Nothing was changed."):
            path.parent.mkdir(parents=True, exist_ok=True)
            for left in path.parent.glob(f".{glob.escape(path.name)}.????????.tmp/"):
                with _held(left) as abandoned:
                    if abandoned:
                        shutil.rmtree(left, ignore_errors=True)
            made = tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
            own.enter_context(_held(Path(made)))
            # It is locked before it has the name by which others look for abandoned folders.
            folder = Path(made).rename(Path(made).with_suffix(".tmp"))
        own.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.chmod(0o755)  # it may be renamed to ``path``
        yield folder


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[bool]:
    """Lock a folder; false if another process holds it or the file system has no locks."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held = True
    except OSError:
        held = False
    try:
        yield held
    finally:
        os.close(descriptor)


def synchronise(path: Path) -> None:
    """Flush a file's bytes, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(temporary: Path) -> None:
    with contextlib.suppress(OSError):  # it may not exist yet
        temporary.unlink()


def write_text(path: str | Path, text: str, durable: bool = False) -> None:
    """Write UTF-8 text through :func:`atomic_path`, with Unix line ends on every system."""
    with atomic_path(path, durable) as temporary:
        temporary.write_bytes(text.encode("utf-8"))


def write_json(path: str | Path, value: Any, durable: bool = False) -> None:
    """Write indented JSON through :func:`atomic_path`; it may contain :mod:`muver.io.records`."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=msgspec.to_builtins)
    write_text(path, f"{text}\n", durable)


def read_json(path: str | Path) -> Any:
    """Read a JSON file, with or without a byte-order mark."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file.") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{path}, line {error.lineno}: not valid JSON ({error.msg}).") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}).") from None


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces, so that equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def short_hash(value: Any, length: int = 12) -> str:
    """The first ``length`` hexadecimal digits of the SHA-256 of a JSON-able value."""
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()[:length]


def sha256_of(path: str | Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
