"""Opens large files, compressed or not, and reads their lines, by several processes where asked."""

import codecs
import contextlib
import io
import lzma
import multiprocessing
import os
import threading
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, AnyStr, TypeVar

from msgspec import Struct

from muver.io.errors import InputError, read_errors
from muver.io.process import Listening
from muver.io.progress import Progress
from muver.retriever.corpus.archive import decompressed
from muver.retriever.corpus.corpus_settings import BadLines
from muver.retriever.corpus.jsonl import BadLine, structs

PIECE = 1 << 20
LONGEST_LINE = 1 << 26  # characters or bytes; an entity has far fewer
COMPRESSIONS = (".gz", ".bz2", ".xz")
UNPACKERS = {b"\x28\xb5\x2f\xfd": "unzstd", b"7z\xbc\xaf": "7z e", b"PK\x03\x04": "unzip"}
SHEETS = (".xlsx", ".ods")  # which are zip archives
BATCH = 1 << 20  # bytes, at least
AHEAD = 2  # pieces that wait for each process
BAD = "lines of another form"
CUT = "Was the download cut off? Fetch it anew."
MARK = "\udfff"  # half of a surrogate pair, which no text has
codecs.register_error("muver.mark", lambda error: (MARK, error.end))
SHOWN = 10  # examples of each kind
T = TypeVar("T")
R = TypeVar("R")


class LeftOut(Struct):
    """Something that became no entity: the reason, the same for all of its kind, and where."""

    why: str
    place: str


class Note(Struct):
    """How often something was met, and its first examples."""

    count: int = 0
    first: list[str] = []


class Notes(defaultdict[str, Note]):
    """What users should know, by kind."""

    def __init__(self):
        super().__init__(Note)

    def add(self, what: str, example: str) -> None:
        """Count one, and keep the example if it is among the first."""
        note = self[what]
        note.count += 1
        if note.count <= SHOWN:
            # A manifest has to take it, also the half of a surrogate pair in an address of RDF.
            note.first.append(example.encode(errors="backslashreplace").decode())


def plain(path: Path) -> Path:
    """The path without a compression's ending."""
    return path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path


class _Watched(Listening):
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
    """The bytes of a file or a pipe, decompressed if it is a gz, bz2 or xz archive."""
    with read_errors(path):
        file = io.BufferedReader(_Watched(path), PIECE)
        start = file.peek(4)[:4]
    try:
        with file as raw:
            if start in UNPACKERS:
                cure = f"Unpack it first: {UNPACKERS[start]} {path}"
                if path.suffix.lower() in SHEETS:
                    cure = "Save it as CSV, in UTF-8."
                raise InputError(f"{path}: not read as it is. {cure}")
            with decompressed(raw) as stream:
                if stream is raw and plain(path) != path:
                    cure = f"Fetch it anew, or rename it to {plain(path)} if that is what it is."
                    raise InputError(f"{path}: not compressed, though its ending says so. {cure}")
                yield stream
    except EOFError:
        raise InputError(f"{path}: the archive ends too early. {CUT}") from None
    except (zlib.error, lzma.LZMAError, OSError) as error:
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
            place, why = _first_wrong(path, encoding), getattr(error, "reason", error)
            raise InputError(f"{path}, {place}: not {encoding} text ({why}). {named}") from None


def _first_wrong(path: Path, encoding: str) -> str:
    """The first line that doesn't decode, read anew: an error counts within a piece of the file."""
    with opened(path) as stream, contextlib.suppress(UnicodeError):  # UTF-16's, without its mark
        text = io.TextIOWrapper(stream, encoding, "muver.mark", newline="")
        for number, line in enumerate(lines_of(text, path), start=1):
            if MARK in line:
                return f"line {number}"
    return "line 1"


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


def read_json_lines(
    path: Path, kind: type[T], encoding: str | None = None
) -> Iterator[tuple[str, T]]:
    """Each line's place and what it holds; one of another form is refused."""
    with opened_text(path, encoding) as text:
        for number, value in structs(enumerate(lines_of(text, path), start=1), path, kind):
            yield f"line {number}", value


def parsed_lines(
    path: Path, parse: Callable[[bytes], T], workers: int = 1
) -> Iterator[tuple[str, int, T | LeftOut]]:
    """Each line's place and first byte, and what ``parse`` makes of it, which may raise BadLine."""
    for batch in in_order(partial(_parsed, parse), _batches(path), workers):
        yield from batch


def in_order(work: Callable[[T], R], pieces: Iterable[T], workers: int) -> Iterator[R]:
    """The results of ``work`` for each piece, in order; only a few pieces are read ahead."""
    if workers == 1:
        yield from map(work, pieces)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _end_with_parent) as pool:
        rest = iter(pieces)
        waiting: deque[Future[R]] = deque()
        try:
            waiting.extend(pool.submit(work, piece) for piece in islice(rest, AHEAD * workers))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(pool.submit(work, piece) for piece in islice(rest, 1))
        except BrokenProcessPool as error:
            raise InputError(
                "A process was killed, perhaps for want of memory. Run the same command again, "
                "with fewer --workers."
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Let a worker end if its parent is killed; the pool's would wait for work for ever."""

    def wait() -> None:
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def good_lines(
    path: Path, parse: Callable[[bytes], T], settings: BadLines, bad: Notes, workers: int = 1
) -> Iterator[tuple[int, T]]:
    """First byte and content of the lines that parse; others are noted, too many refused."""
    for number, (_, byte, parsed) in enumerate(parsed_lines(path, parse, workers), start=1):
        if not isinstance(parsed, LeftOut):
            yield byte, parsed
            continue
        bad.add(parsed.why, parsed.place)
        count = bad[BAD].count
        if count > max(settings.bad_lines, int(settings.bad_share * number)):
            raise InputError(
                f"{path}: {BAD}: {count} of the first {number}: "
                f"{'; '.join(bad[BAD].first[:5])}. Fetch the file anew, or allow more with "
                '--settings \'{"bad_lines": ..., "bad_share": ...}\'.'
            )


def _batches(path: Path) -> Iterator[list[tuple[str, int, bytes]]]:
    batch: list[tuple[str, int, bytes]] = []
    first = byte = 0
    with opened(path) as stream:
        for number, line in enumerate(lines_of(stream, path), start=1):
            batch.append((f"line {number}", byte, line))
            byte += len(line)
            if byte - first >= BATCH:
                yield batch
                batch, first = [], byte
    yield batch


def _parsed(
    parse: Callable[[bytes], T], batch: list[tuple[str, int, bytes]]
) -> list[tuple[str, int, T | LeftOut]]:
    parsed: list[tuple[str, int, T | LeftOut]] = []
    for place, byte, line in batch:
        try:
            parsed.append((place, byte, parse(line)))
        except BadLine as error:
            parsed.append((place, byte, LeftOut(BAD, f"{place}: {error}")))
    return parsed
