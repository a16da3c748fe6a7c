"""Opens files, compressed or not, in any encoding, with errors that say what is wrong."""

import codecs
import contextlib
import gzip
import io
import lzma
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, AnyStr

from muver.io.errors import InputError
from muver.io.progress import Progress, logger
from muver.kb.importing.settings import Import
from muver.retriever.corpus.archive import decompressed

PIECE = 1 << 20
LONGEST_LINE = 1 << 26  # characters or bytes; an entity has far fewer
CUT = "Was the download cut off? Fetch it anew."
KEEP = 'Or keep what it has: --settings \'{"incomplete": "keep"}\''
SEVEN_ZIP, ZSTANDARD = b"7z\xbc\xaf\x27\x1c", b"\x28\xb5\x2f\xfd"
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class CutOff(InputError):
    """A file that ends before it should."""


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
    """The bytes of a file, decompressed if it is a gz, bz2, xz or 7z archive."""
    try:
        with open(path, "rb") as file:
            start = file.read(6)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror.lower()}.") from None
    if start.startswith(ZSTANDARD):
        raise InputError(f"{path}: compressed by zstd. Unpack it first: unzstd {path}")
    try:
        if start == SEVEN_ZIP:
            with _unpacked_by_program(path) as stream:
                yield stream
        else:
            with io.BufferedReader(_Watched(path), PIECE) as raw, decompressed(raw) as stream:
                yield stream
    except EOFError:
        raise CutOff(f"{path}: the archive ends too early. {CUT}") from None
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise InputError(f"{path}: the archive is damaged ({error}). {CUT}") from None


@contextlib.contextmanager
def _unpacked_by_program(path: Path) -> Iterator[IO[bytes]]:
    """The only file in a 7z archive, by a program: Python's library doesn't read them."""
    calls = {"bsdtar": ["-xOf"], "7z": ["e", "-so"], "7zz": ["e", "-so"], "7za": ["e", "-so"]}
    program = next(filter(shutil.which, calls), None)
    if program is None:
        raise InputError(
            f"{path}: a 7z archive, and there is no program that reads it. Install libarchive's "
            "bsdtar (Debian: apt-get install libarchive-tools) or 7-Zip."
        )
    command = [program, *calls[program], str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        yield process.stdout
        if not process.stdout.read(1) and process.wait():
            said = process.stderr.readline().decode(errors="replace").strip()
            raise CutOff(f"{path}: {program} stopped ({said}). {CUT}")
        process.kill()  # not all of it was wanted


@contextlib.contextmanager
def opened_dump(path: Path, settings: Import) -> Iterator[IO[bytes]]:
    """As `opened`; of a file that ends too early what it has is kept if the settings say so."""
    try:
        with opened(path) as stream:
            yield stream
    except CutOff as error:
        if settings.incomplete == "refuse":
            raise CutOff(f"{error} {KEEP}") from None
        logger.warning("%s What was read until there is kept.", error)


def cut_off(path: Path, what: str, settings: Import) -> None:
    """Refuse a file that ends too early, or say that what it has is kept."""
    if settings.incomplete == "refuse":
        raise CutOff(f"{path}: {what}. {CUT} {KEEP}")
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
        for mark, name in MARKS:
            if piece.startswith(mark):
                return name
        if 0 in piece[:2]:  # of a letter from the first 256, one byte is zero
            return "utf-16-be" if piece[0] == 0 else "utf-16-le"
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
