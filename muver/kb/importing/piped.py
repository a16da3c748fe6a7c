"""Sources that can be read only once: a pipe, such as ``<(zcat more.gz)``, and standard input."""

import contextlib
import shutil
import sys
from collections.abc import Iterator, Sequence
from io import BufferedReader
from pathlib import Path

from muver.io.errors import InputError, disk_errors
from muver.io.files import folder_beside
from muver.io.process import AT_ONCE, listening

STDIN = "-"


class Piped(type(Path())):
    """A file with what came through a pipe, which goes by the name that its user gave the pipe."""

    def __fspath__(self) -> str:
        return self.content


def name_of(path: str | Path) -> str:
    """What messages call a source."""
    return "standard input" if str(path) == STDIN else str(path)


def is_pipe(path: Path) -> bool:
    """Whether a path is standard input or a pipe, and no file or folder."""
    return str(path) == STDIN or (path.exists() and not (path.is_file() or path.is_dir()))


def standard_input() -> BufferedReader:
    """Standard input, which stays open."""
    if sys.stdin is None:
        raise InputError("standard input: is closed. Give a file, or a pipe.")
    return listening(sys.stdin.buffer.fileno())


@contextlib.contextmanager
def at_rest(sources: Sequence[Path], beside: Path) -> Iterator[list[Path]]:
    """The sources, where pipes among them are read into files in a folder beside a path."""
    with contextlib.ExitStack() as folders:
        if any(map(is_pipe, sources)):
            folder = folders.enter_context(folder_beside(beside))
            sources = [
                _read(path, folder / str(number)) if is_pipe(path) else path
                for number, path in enumerate(sources)
            ]
        yield list(sources)


def _read(path: Path, content: Path) -> Piped:
    stream = standard_input() if str(path) == STDIN else listening(path)
    with stream as pipe, content.open("wb") as file, disk_errors(content, "Nothing was changed."):
        shutil.copyfileobj(pipe, file, AT_ONCE)
    piped = Piped(name_of(path))
    piped.content = str(content)
    return piped
