"""Raw files in their place: downloaded, or taken from what the user fetched by hand; verified."""

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from muver.corpus.archive import find_root, unpacked
from muver.corpus.download import fetch
from muver.corpus.sources import Source
from muver.corpus.splits import SPLITS
from muver.io.checking import did_you_mean, disk_errors
from muver.io.errors import InputError
from muver.io.files import atomic_path, sha256_of, write_text
from muver.io.progress import logger

MENTION_FILES = tuple(f"{split}.json" for split in SPLITS)


@dataclass(frozen=True)
class Download:
    """A source, and where its files are to come from.

    Attributes
    ----------
    source
        What is declared about it.
    archive
        Where the archive is, or is downloaded to if it is not there.
    url
        Another address than the declared one.
    given
        An archive or an unpacked folder fetched by hand; nothing is downloaded then.
    sha256
        The checksum the user pins, instead of the declared one.
    """

    source: Source
    archive: Path
    url: str | None = None
    given: Path | None = None
    sha256: str | None = None

    @contextlib.contextmanager
    def unpacked(self, out: Path) -> Iterator[Path]:
        """The unpacked source, near ``out``.

        An archive that served to the end has its checksum recorded.

        Raises
        ------
        InputError
            For a dead address, a wrong checksum, a damaged archive or a full disk.
        """
        if self.given is not None and self.given.is_dir():
            yield self.given
            return
        with self.fetched() as archive, unpacked(archive, out) as folder:
            yield folder

    @contextlib.contextmanager
    def fetched(self) -> Iterator[Path]:
        """The file of the source as it came, its checksum compared and, if it served, recorded.

        Raises
        ------
        InputError
            For a source that may not be downloaded, a dead address or a wrong checksum.
        """
        if self.source.kind == "instructions" and self.given is None:
            raise InputError(
                f"{self.source.name}: is not downloaded ({self.source.licence}). "
                f"{self.source.instructions} {self.source.page} has the annotations."
            )
        if self.given is not None and not self.given.exists():
            raise InputError(f"--source {self.given}: no such file or folder.")
        if self.given is None and not self.archive.exists():
            address = self.url or self.source.address
            logger.info("%s from %s", self.source.title, address)
            fetch(address, self.archive, self._by_hand())
        record = self.archive.with_name(self.archive.name + ".sha256")
        pinned = self.sha256 or self.source.sha256
        found = _check_sum(self.given or self.archive, pinned, record)
        yield self.given or self.archive
        if not (pinned or record.exists()):
            write_text(record, f"{found}  {self.archive.name}\n")

    def _by_hand(self) -> str:
        return (
            f"Fetch it by hand from {self.source.page}, put it at {self.archive} (or name it with "
            "--source), then run the same command again."
        )


def obtain_dataset(download: Download, out: Path) -> None:
    """Put a dataset in ZESHEL's format into ``out/documents`` and ``out/mentions``.

    Parameters
    ----------
    out
        The folder that receives ``documents/<world>.json`` and ``mentions/{train,val,test}.json``.

    Raises
    ------
    InputError
        As :meth:`Download.unpacked`, and for missing files.
    """
    source = download.source
    with download.unpacked(out) as folder:
        root = find_root(folder, ("documents", "mentions"))
        worlds = sorted(path.name for path in (root / "documents").glob("[!.]*.json"))
        _check_complete(root, worlds, source)
        _refuse_strangers(out / "documents", worlds)
        names = [f"documents/{name}" for name in worlds]
        place(root, out, [*names, *(f"mentions/{name}" for name in MENTION_FILES)])
    logger.info("%s: %d worlds in %s (licence: %s)", source.name, len(worlds), out, source.licence)


def obtain_files(download: Download, out: Path) -> None:
    """Put the files of a source into ``out``: one file as it is, or an archive's files unpacked.

    A file that was fetched by hand is linked (no second copy of 35 GB), or copied where the two
    places are on different file systems.

    Raises
    ------
    InputError
        As :meth:`Download.unpacked`, with the instructions for what may not be downloaded.
    """
    source = download.source
    if source.kind == "archive":
        with download.unpacked(out) as folder:
            names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
            place(folder, out, sorted(name.as_posix() for name in names))
    else:
        with download.fetched() as file:
            _link(file, out / source.file)
    logger.info("%s: in %s (licence: %s)", source.name, out, source.licence)


def _link(file: Path, target: Path) -> None:
    if target.exists() and target.samefile(file):
        return
    with atomic_path(target) as temporary:
        try:
            os.link(file, temporary)
        except OSError:  # another file system, or one without links
            shutil.copyfile(file, temporary)


def place(root: Path, out: Path, names: Sequence[str]) -> None:
    """Copy the named files from ``root`` to ``out``, each complete or not at all."""
    for name in names:
        refused = disk_errors(out / name, "Files already placed are complete.")
        with refused, atomic_path(out / name) as temporary:
            shutil.copyfile(root / name, temporary)


def _check_sum(archive: Path, pinned: str | None, record: Path) -> str:
    """SHA-256 of the archive, compared with the pinned one, else with the recorded one if any."""
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


def _check_complete(root: Path, worlds: Sequence[str], source: Source) -> None:
    for name in MENTION_FILES:
        if not (root / "mentions" / name).is_file():
            there = sorted(path.name for path in (root / "mentions").glob("*.json"))
            raise InputError(
                f"{source.name}: mentions/{name} is missing.{did_you_mean(name, there)} "
                f"There are: {', '.join(there) or 'none'}."
            )
    for world in source.published.worlds if source.published else ():
        if f"{world}.json" not in worlds:
            raise InputError(
                f"{source.name}: documents/{world}.json is missing."
                f"{did_you_mean(f'{world}.json', worlds)}"
            )


def _refuse_strangers(documents: Path, worlds: Sequence[str]) -> None:
    """World files of another dataset in the target would silently become part of this one."""
    strangers = sorted({path.name for path in documents.glob("[!.]*.json")} - set(worlds))
    if strangers:
        raise InputError(
            f"{documents}: holds files that are not of this dataset ({', '.join(strangers)}). "
            "Move them away or choose another --out, then run the same command again."
        )
