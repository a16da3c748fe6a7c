"""Opens files, compressed or not, in any encoding, with errors that say what is wrong."""

import codecs
import contextlib
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr, Literal

from muver.io.errors import InputError
from muver.io.progress import Progress, logger
from muver.kb.importing.settings import Import
from muver.retriever.corpus.archive import decompressed

PIECE = 1 << 20
LONGEST_LINE = 1 << 26  # characters or bytes; an entity has far fewer
COMPRESSIONS = (".gz", ".bz2", ".xz")
UNPACKERS = {b"\x28\xb5\x2f\xfd": "unzstd", b"7z\xbc\xaf": "7z e", b"PK\x03\x04": "unzip"}
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


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
def opened(path: Path, incomplete: Literal["refuse", "keep"] = "refuse") -> Iterator[IO[bytes]]:
    """The bytes of a file, decompressed if it is a gz, bz2 or xz archive."""
    try:
        with open(path, "rb") as file:
            start = file.read(4)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror.lower()}.") from None
    if start in UNPACKERS:
        raise InputError(
            f"{path}: such archives are not read. Unpack it: {UNPACKERS[start]} {path}"
        )
    try:
        with io.BufferedReader(_Watched(path), PIECE) as raw, decompressed(raw) as stream:
            yield stream
    except EOFError:
        cut_off(path, "the archive ends too early", incomplete)
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise InputError(f"{path}: the archive is damaged ({error}). Fetch it anew.") from None


def cut_off(path: Path, what: str, incomplete: Literal["refuse", "keep"]) -> None:
    """Refuse a file that ends too early, or say that what it has is kept."""
    if incomplete == "refuse":
        raise InputError(
            f"{path}: {what}. Was the download cut off? Fetch it anew. What a wiki's or Wikidata's "
            'dump has can be kept: --settings \'{"incomplete": "keep"}\''
        )
    logger.warning("%s: %s. What it has is kept.", path, what)


def encoding_of(path: Path, settings: Import) -> str:
    """The encoding of a text: the one named, that of its mark, UTF-8 if it is, else cp1252."""
    if settings.encoding is not None:
        try:
            return codecs.lookup(settings.encoding).name
        except LookupError:
            raise InputError(
                f"--settings: encoding is {settings.encoding!r}, which Python doesn't know. "
                "Usual ones: utf-8, utf-16, cp1252, latin-1, gb18030, shift_jis."
            ) from None
    with opened(path) as stream:
        piece = stream.read(PIECE)
        for mark, name in MARKS.items():
            if piece.startswith(mark):
                return name
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            while piece:
                decoder.decode(piece)
                piece = stream.read(PIECE)
            decoder.decode(b"", final=True)
            return "utf-8"
        except UnicodeDecodeError:
            logger.warning(
                "%s is not UTF-8 and is read as cp1252 (Windows, Western Europe). If letters look "
                'wrong, name its encoding: --settings \'{"encoding": "..."}\'', path
            )  # fmt: skip
    return "cp1252"


@contextlib.contextmanager
def opened_text(path: Path, settings: Import) -> Iterator[IO[str]]:
    """The text of a file; line ends stay as they are."""
    encoding = encoding_of(path, settings)
    with opened(path) as stream:
        try:
            yield io.TextIOWrapper(stream, encoding, newline="")
        except UnicodeError as error:
            raise InputError(
                f"{path}: not {encoding} text ({error}). Name its encoding: "
                '--settings \'{"encoding": "..."}\''
            ) from None


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
