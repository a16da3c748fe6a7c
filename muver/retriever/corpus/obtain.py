"""Put raw files in their place, downloaded or fetched by hand, with their checksums verified."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import requests

from muver.io.errors import InputError, disk_errors
from muver.io.files import copy, sha256_of, write_text
from muver.io.progress import Progress, logger
from muver.io.text import counted
from muver.retriever.corpus.archive import find_root, unpacked
from muver.retriever.corpus.sources import SPLITS, Source

PIECE = 1 << 16
MEGABYTE = 1 << 20
TIMEOUT = (30, 60)  # seconds to connect, seconds without a byte
HTML = (b"<!doctype html", b"<html")


@contextlib.contextmanager
def source_folder(source: Source, archive: Path, local: Path | None, out: Path) -> Iterator[Path]:
    """The unpacked source: the folder ``local``, or a temporary one near ``out``."""
    if local is not None and local.is_dir():
        yield local
        return
    with source_file(source, archive, local) as file, unpacked(file, out) as folder:
        yield folder


@contextlib.contextmanager
def source_file(source: Source, archive: Path, local: Path | None) -> Iterator[Path]:
    """The source's file, with its checksum compared: ``local``, which was fetched by hand, or
    ``archive``, which is downloaded if it is missing.

    If no checksum is pinned, the file's own is recorded beside it once the caller has used the
    file without an error.
    """
    file = local or archive
    if source.kind == "instructions" and local is None:
        raise InputError(
            f"{source.name}: is not downloaded ({source.licence}). {source.instructions} "
            f"{source.page} has the annotations."
        )
    if local is not None and not local.exists():
        raise InputError(f"--source {local}: no such file or folder.")
    if not file.exists():
        logger.info("%s from %s", source.title, source.address)
        by_hand = (
            f"Fetch it by hand from {source.page}, put it at {archive} (or name it with "
            "--source), then run the same command again."
        )
        fetch(source.address, archive, by_hand)
    sha256 = sha256_of(file)
    record = archive.with_name(archive.name + ".sha256")
    pinned, where = source.sha256, "the pinned one"
    if pinned is None and record.exists():
        pinned, where = record.read_text(encoding="utf-8").split()[0], f"the one in {record}"
    if pinned is not None and sha256 != pinned.lower():
        raise InputError(
            f"{file}: wrong checksum. Its SHA-256 is {sha256}, {where} is {pinned}. The file is "
            "left as it is and not used: delete or move it, then run the same command again."
        )
    yield file
    if pinned is None:
        write_text(record, f"{sha256}  {archive.name}\n")


def obtain_dataset(source: Source, archive: Path, local: Path | None, out: Path) -> None:
    """Put a dataset in ZESHEL's format into ``out/documents`` and ``out/mentions``."""
    with source_folder(source, archive, local, out) as folder:
        root = find_root(folder, ("documents", "mentions"))
        worlds = sorted(path.stem for path in (root / "documents").glob("[!.]*.json"))
        declared = source.published.worlds if source.published else {}
        names = [f"documents/{world}.json" for world in sorted({*worlds, *declared})]
        names += [f"mentions/{split}.json" for split in SPLITS]
        if missing := [name for name in names if not (root / name).is_file()]:
            raise InputError(f"{root}: {', '.join(missing)} of {source.name} is missing.")
        place(root, out, names)
    number = counted(len(worlds), "world")
    logger.info("%s: %s in %s (licence: %s)", source.name, number, out, source.licence)


def obtain_files(source: Source, archive: Path, local: Path | None, out: Path) -> None:
    """Put the files of a source into ``out``: one file as it is, or an archive's files unpacked.

    A single file is linked, not copied (it may have 35 GB), where the file system allows it.
    """
    if source.kind in ("archive", "shipped"):
        with source_folder(source, archive, local, out) as folder:
            names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
            place(folder, out, sorted(name.as_posix() for name in names))
    else:
        with source_file(source, archive, local) as file:
            target = out / source.file
            if not (target.exists() and target.samefile(file)):
                copy(file, target, link=True)
    logger.info("%s: in %s (licence: %s)", source.name, out, source.licence)


def place(root: Path, out: Path, names: Sequence[str]) -> None:
    """Copy the named files from ``root`` to ``out``, each complete or not at all."""
    for name in names:
        copy(root / name, out / name)


def fetch(address: str, path: str | Path, by_hand: str) -> None:
    """Download ``address`` to ``path`` over HTTP.

    What has arrived lies in ``<path>.part`` until the file is complete; if the connection ends
    early, the next call goes on from there. Errors end with ``by_hand``: what to do if the address
    does not work.
    """
    path = Path(path)
    part = path.with_name(path.name + ".part")
    with disk_errors(part, "What had arrived is kept and the download goes on from there."):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            _receive(address, part, by_hand)
        except requests.RequestException as error:
            kept = f" What arrived is kept in {part}: run the same command again to go on."
            raise InputError(
                f"{address}: cannot be downloaded ({error}).{kept if part.exists() else ''} "
                f"{by_hand}"
            ) from error
        os.replace(part, path)


def _receive(address: str, part: Path, by_hand: str) -> None:
    done = part.stat().st_size if part.exists() else 0
    # "identity" asks for the file's own bytes, so that sizes and positions are those of the file.
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
    with requests.get(address, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == 416:  # the server has nothing after the part
            if response.headers.get("Content-Range") != f"bytes */{done}":
                logger.info("%s does not fit the file at the address, starting again", part.name)
                part.unlink()
                _receive(address, part, by_hand)
            return
        response.raise_for_status()
        if response.status_code == 200:  # all of it
            done = 0
        pieces = response.iter_content(PIECE)
        first = next(pieces, b"")
        page = "text/html" in response.headers.get("Content-Type", "").lower()
        if page or (not done and first.lstrip()[:15].lower().startswith(HTML)):
            raise InputError(
                f"{address}: answered with a web page instead of the archive (Google Drive does so "
                f"when a file was fetched too often, or asks for a confirmation). {by_hand}"
            )
        total = done + int(response.headers.get("Content-Length") or 0)
        progress = Progress(
            f"downloading {part.stem}", total // MEGABYTE, "MB", done=done // MEGABYTE
        )
        with open(part, "ab" if done else "wb") as file:
            for piece in chain([first], pieces):
                file.write(piece)
                done += len(piece)
                progress.advance(done // MEGABYTE - progress.done)
        progress.finish()
