"""Opens files, compressed or not, with errors that say what is wrong."""

import codecs
import contextlib
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr

from muver.io.errors import InputError
from muver.io.progress import Progress
from muver.retriever.corpus.archive import decompressed

PIECE = 1 << 20
LONGEST_LINE = 1 << 26  # characters or bytes; an entity has far fewer
COMPRESSIONS = (".gz", ".bz2", ".xz")
UNPACKERS = {b"\x28\xb5\x2f\xfd": "unzstd", b"7z\xbc\xaf": "7z e", b"PK\x03\x04": "unzip"}
CUT = "Was the download cut off? Fetch it anew."


class _Watched(io.FileIO):
    """A file whose reading is shown."""

    def __init__(self, path: Path):
        super().__init__(path)
        self.progress = Progress(f"reading {path.name}", path.stat().st_size / 1e6, "MB")

    def readinto(self, buffer) -> int:
        read = super().readinto(buffer)
        self.progress.advance(read / 1e6)
        return read


@contextlib.contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if it is a gz, bz2 or xz archive."""
    try:
        with open(path, "rb") as file:
            start = file.read(4)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror.lower()}.") from None
    if start in UNPACKERS:
        raise InputError(f"{path}: not read as it is. Unpack it first: {UNPACKERS[start]} {path}")
    try:
        with io.BufferedReader(_Watched(path), PIECE) as raw, decompressed(raw) as stream:
            yield stream
    except EOFError:
        raise InputError(f"{path}: the archive ends too early. {CUT}") from None
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise InputError(f"{path}: the archive is damaged ({error}). {CUT}") from None


@contextlib.contextmanager
def opened_text(path: Path, encoding: str | None = None) -> Iterator[IO[str]]:
    """The text of a file, by default UTF-8, or UTF-16 with its mark; line ends stay as they are."""
    named = 'Name its encoding: --settings \'{"encoding": "..."}\', such as cp1252 or gb18030.'
    with opened(path) as stream:
        if encoding is None:
            start = stream.peek(2)[:2]
            marked = start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
            encoding = "utf-16" if marked else "utf-8-sig"
        try:
            text = io.TextIOWrapper(stream, encoding, newline="")
        except LookupError:
            raise InputError(f"{path}: Python knows no encoding {encoding!r}. {named}") from None
        try:
            yield text
        except UnicodeError as error:
            raise InputError(f"{path}: not {encoding} text ({error}). {named}") from None


def lines_of(stream: IO[AnyStr], path: Path) -> Iterator[AnyStr]:
    """The lines of a file; one that is too long is refused before all of it is read."""
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise too_long(path, f"line {number}")
        yield line


def too_long(path: Path, what: str) -> InputError:
    """What to say of a part of a file that would fill the memory."""
    return InputError(
        f"{path}, {what}: longer than {LONGEST_LINE >> 20} MiB. Is the file of another format? "
        "Name it with --format."
    )
