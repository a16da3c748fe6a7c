"""Put raw files in their place, downloaded or fetched by hand, with their checksums verified."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from muver.io.checking import did_you_mean, disk_errors
from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of, write_text
from muver.io.progress import logger
from muver.retriever.corpus.archive import find_root, unpacked
from muver.retriever.corpus.download import fetch
from muver.retriever.corpus.sources import Source
from muver.retriever.corpus.splits import SPLITS

MENTION_FILES = tuple(f"{split}.json" for split in SPLITS)


@dataclass(frozen=True)
class Download:
    """A source, and where its files come from."""

    source: Source
    archive: Path  # is downloaded to this path if missing
    url: str | None = None  # in place of the declared one, as is sha256
    given: Path | None = None  # archive or folder, fetched by hand; nothing is downloaded then
    sha256: str | None = None

    @contextlib.contextmanager
    def unpacked(self, out: Path) -> Iterator[Path]:
        """The unpacked source: the given folder, or a temporary one near ``out``."""
        if self.given is not None and self.given.is_dir():
            yield self.given
            return
        with self.fetched() as archive, unpacked(archive, out) as folder:
            yield folder

    @contextlib.contextmanager
    def fetched(self) -> Iterator[Path]:
        """The source's file, with its checksum compared.

        If no checksum is pinned, the file's own is recorded beside it once the caller has used the
        file without an error.
        """
        source = self.source
        if source.kind == "instructions" and self.given is None:
            raise InputError(
                f"{source.name}: is not downloaded ({source.licence}). {source.instructions} "
                f"{source.page} has the annotations."
            )
        if self.given is not None and not self.given.exists():
            raise InputError(f"--source {self.given}: no such file or folder.")
        if self.given is None and not self.archive.exists():
            address = self.url or source.address
            logger.info("%s from %s", source.title, address)
            by_hand = (
                f"Fetch it by hand from {source.page}, put it at {self.archive} (or name it with "
                "--source), then run the same command again."
            )
            fetch(address, self.archive, by_hand)
        record = self.archive.with_name(self.archive.name + ".sha256")
        pinned = self.sha256 or source.sha256
        checksum = _check_sum(self.given or self.archive, pinned, record)
        yield self.given or self.archive
        if not (pinned or record.exists()):
            write_text(record, f"{checksum}  {self.archive.name}\n")


def obtain_dataset(download: Download, out: Path) -> None:
    """Put a dataset in ZESHEL's format into ``out/documents`` and ``out/mentions``."""
    source = download.source
    with download.unpacked(out) as folder:
        root = find_root(folder, ("documents", "mentions"))
        worlds = sorted(path.name for path in (root / "documents").glob("[!.]*.json"))
        _check_complete(root, source)
        _check_target(out / "documents", worlds)
        names = [f"documents/{name}" for name in worlds]
        place(root, out, [*names, *(f"mentions/{name}" for name in MENTION_FILES)])
    logger.info("%s: %d worlds in %s (licence: %s)", source.name, len(worlds), out, source.licence)


def obtain_files(download: Download, out: Path) -> None:
    """Put the files of a source into ``out``: one file as it is, or an archive's files unpacked.

    A single file is linked, not copied (it may have 35 GB), where the file system allows it.
    """
    source = download.source
    if source.kind in ("archive", "shipped"):
        with download.unpacked(out) as folder:
            names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
            place(folder, out, sorted(name.as_posix() for name in names))
    else:
        with download.fetched() as file:
            _link(file, out / source.file)
    logger.info("%s: in %s (licence: %s)", source.name, out, source.licence)


def place(root: Path, out: Path, names: Sequence[str]) -> None:
    """Copy the named files from ``root`` to ``out``, each complete or not at all."""
    for name in names:
        refused = disk_errors(out / name, "Files already placed are complete.")
        with refused, atomic_path(out / name) as temporary:
            shutil.copyfile(root / name, temporary)


def _link(file: Path, target: Path) -> None:
    if target.exists() and target.samefile(file):
        return
    with atomic_path(target) as temporary:
        try:
            os.link(file, temporary)
        except OSError:  # another file system, or one without links
            shutil.copyfile(file, temporary)


def _check_sum(archive: Path, pinned: str | None, record: Path) -> str:
    """SHA-256 of the archive, compared with the pinned one or else with the recorded one."""
    found = sha256_of(archive)
    where = "the pinned one"
    if pinned is None and record.exists():
        pinned, where = record.read_text(encoding="utf-8").split()[0], f"the one in {record}"
    if pinned is not None and found != pinned.lower():
        raise InputError(
            f"{archive}: wrong checksum. Its SHA-256 is {found}, {where} is {pinned}. The file is "
            "left as it is and not used: delete or move it, then run the same command again."
        )
    return found


def _check_complete(root: Path, source: Source) -> None:
    worlds = source.published.worlds if source.published else ()
    wanted = [f"mentions/{name}" for name in MENTION_FILES]
    for name in [*wanted, *(f"documents/{world}.json" for world in worlds)]:
        if not (root / name).is_file():
            there = sorted(path.name for path in (root / name).parent.glob("*.json"))
            raise InputError(
                f"{source.name}: {name} is missing.{did_you_mean(Path(name).name, there)} "
                f"There are: {', '.join(there) or 'none'}."
            )


def _check_target(documents: Path, worlds: Sequence[str]) -> None:
    """Refuse a target with another dataset's worlds, which would become part of this one."""
    others = sorted({path.name for path in documents.glob("[!.]*.json")} - set(worlds))
    if others:
        raise InputError(
            f"{documents}: holds files that are not of this dataset ({', '.join(others)}). "
            "Move them away or choose another --out, then run the same command again."
        )
