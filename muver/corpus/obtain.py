"""Raw files in their place: downloaded, or taken from what the user fetched by hand; verified."""

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from muver.checking import did_you_mean, disk_errors
from muver.corpus.archive import find_root, unpacked
from muver.corpus.download import fetch
from muver.corpus.sources import Source
from muver.errors import InputError
from muver.files import atomic_path, sha256_of, write_text
from muver.progress import logger
from muver.views.files import PUNKT_FILES

MENTION_FILES = ("train.json", "val.json", "test.json")


def obtain_dataset(
    source: Source,
    archive: Path,
    out: Path,
    url: str | None = None,
    given: Path | None = None,
    sha256: str | None = None,
) -> None:
    """Put a dataset in ZESHEL's format into ``out/documents`` and ``out/mentions``.

    Parameters
    ----------
    source
        What is declared about it.
    archive
        Where the archive is, or is downloaded to if it is not there.
    out
        The folder that receives ``documents/<world>.json`` and ``mentions/{train,val,test}.json``.
    url
        Another address than the declared one.
    given
        An archive or an unpacked folder fetched by hand; nothing is downloaded then.
    sha256
        The checksum the user pins, instead of the declared one.

    Raises
    ------
    InputError
        For a dead address, a wrong checksum, a damaged archive, missing files or a full disk.
    """
    with _raw_folder(source, archive, out, url, given, sha256) as folder:
        root = find_root(folder, ("documents", "mentions"))
        worlds = sorted(path.name for path in (root / "documents").glob("[!.]*.json"))
        _check_complete(root, worlds, source)
        _refuse_strangers(out / "documents", worlds)
        names = [f"documents/{name}" for name in worlds]
        _place(root, out, [*names, *(f"mentions/{name}" for name in MENTION_FILES)])
    logger.info("%s: %d worlds in %s (licence: %s)", source.name, len(worlds), out, source.licence)


def obtain_punkt(
    source: Source,
    archive: Path,
    out: Path,
    url: str | None = None,
    given: Path | None = None,
    sha256: str | None = None,
) -> None:
    """Put the four files of Punkt's English parameters into ``out``; see `obtain_dataset`."""
    from muver.views import punkt

    with _raw_folder(source, archive, out, url, given, sha256) as folder:
        english = [path.parent for path in folder.rglob(f"english/{PUNKT_FILES[0]}")]
        root = find_root(english[0] if english else folder, PUNKT_FILES)
        punkt.verify_english(root)
        _place(root, out, PUNKT_FILES)
    logger.info("%s: in %s", source.name, out)


@contextlib.contextmanager
def _raw_folder(
    source: Source,
    archive: Path,
    out: Path,
    url: str | None,
    given: Path | None,
    sha256: str | None,
) -> Iterator[Path]:
    """The unpacked source; an archive that served to the end has its checksum recorded."""
    if given is not None and given.is_dir():
        yield given
        return
    if given is not None and not given.exists():
        raise InputError(f"--source {given}: no such file or folder.")
    if given is None and not archive.exists():
        logger.info("%s from %s", source.title, url or source.address)
        fetch(url or source.address, archive, _by_hand(source, archive))
    record = archive.with_name(archive.name + ".sha256")
    found = _check_sum(given or archive, sha256 or source.sha256, record)
    with unpacked(given or archive, out) as folder:
        yield folder
    if not (sha256 or source.sha256 or record.exists()):
        write_text(record, f"{found}  {archive.name}\n")


def _by_hand(source: Source, archive: Path) -> str:
    return (
        f"Fetch it by hand from {source.page}, put it at {archive} (or name it with --source), "
        "then run the same command again."
    )


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


def _place(root: Path, out: Path, names: Sequence[str]) -> None:
    """Copy the named files from ``root`` to ``out``, each complete or not at all."""
    for name in names:
        refused = disk_errors(out / name, "Files already placed are complete.")
        with refused, atomic_path(out / name) as temporary:
            shutil.copyfile(root / name, temporary)
