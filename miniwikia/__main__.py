"""``python -m miniwikia``: write one entry of settings.yaml, or all that is shipped."""

import argparse
import sys
import tarfile
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from miniwikia.kilt_writer import generate_kilt
from miniwikia.lexicon import read_data
from miniwikia.settings import Generate, GenerateKilt
from miniwikia.writer import generate
from muver.io.errors import InputError, did_you_mean
from muver.io.files import atomic_path, sha256_of
from muver.io.typed import read
from muver.retriever.corpus.corpus_settings import BuildCorpus
from muver.retriever.corpus.zeshel import build_corpus
from muver.retriever.views import punkt
from muver.retriever.views.segment import cleaned_texts

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "muver/retriever/corpus"
CONTEXT = BuildCorpus(context_tokens=128)  # of mentions, which Punkt does not read
TINY = ROOT / ".test/tiny"


def make(name: str, folder: Path, workers: int = 1, **changed: Any) -> None:
    """Write the data of an entry of settings.yaml, of which some keys may be ``changed``."""
    entries = read_data("settings.yaml")
    if name not in entries:
        raise InputError(
            f"{name}: not in miniwikia/settings.yaml.{did_you_mean(name, entries)} There are: "
            f"{', '.join(entries)}."
        )
    settings = {**entries[name], **changed}
    if "worlds" in settings:
        generate(read(Generate, settings, name), folder)
    else:
        generate_kilt(read(GenerateKilt, settings, name), folder, workers)


def pack(folder: Path, archive: Path) -> None:
    """Write a folder's files as a tar.xz whose bytes depend on nothing but the files."""
    with atomic_path(archive) as temporary, tarfile.open(temporary, "w:xz", preset=9) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            # Its time and owner stay 0.
            member = tarfile.TarInfo(path.relative_to(folder).as_posix())
            member.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(member, file)


def ship_punkt(wikis: Path, folder: Path) -> None:
    """Write what Punkt learns from the training worlds of wikis in ZESHEL's format."""
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place, name) for name in ("entities", "mentions", "counts")]
        worlds = build_corpus("miniwikia", wikis, *files, CONTEXT).worlds
        training = sorted(world for world, of in worlds.items() if of.split == "train")
        punkt.ship(partial(cleaned_texts, files[0], training), folder)


def ship() -> None:
    """Write the archives that muver comes with, what Punkt learns of one, and the tiny wikis."""
    make("tiny", TINY)
    for name in ("miniwikia", "miniwikipedia"):
        archive = SHIPPED / f"{name}.tar.xz"
        with tempfile.TemporaryDirectory() as folder:
            make(name, Path(folder))
            pack(Path(folder), archive)
            if name == "miniwikia":
                ship_punkt(Path(folder), punkt.SHIPPED)
        print(f"{archive.relative_to(ROOT)}, for sources.yaml beside it:")
        print(f"  size: {archive.stat().st_size}\n  sha256: {sha256_of(archive)}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m miniwikia", description=__doc__)
    parser.add_argument("name", nargs="?", help="an entry of settings.yaml; all if left out")
    parser.add_argument("folder", nargs="?", type=Path, help="where its files go")
    parser.add_argument("changed", nargs="*", metavar="KEY=VALUE", help="such as one_aspect=1")
    parser.add_argument("--workers", type=int, default=1, help="processes, for an encyclopedia")
    asked = parser.parse_args()
    if asked.name is None:
        return ship()
    if asked.folder is None:
        parser.error("a folder is needed")
    changed = {}
    for one in asked.changed:
        key, equals, value = one.partition("=")
        if not equals:
            parser.error(f"{one!r} is not KEY=VALUE")
        changed[key] = yaml.safe_load(value)
    try:
        make(asked.name, asked.folder, asked.workers, **changed)
    except InputError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
