"""A dataset of public wikis: its repositories fetched at pinned commits, and made into mentions."""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from muver.io.errors import InputError
from muver.io.files import folder_beside, sha256_of_all
from muver.io.progress import logger
from muver.kb.importing.build import import_kb
from muver.kb.importing.importing_settings import Import, Mentions
from muver.kb.importing.pages.forms import FORMS
from muver.kb.importing.pages.linked import linked
from muver.retriever.corpus.archive import unpacked
from muver.retriever.corpus.obtain import fetch, place
from muver.retriever.corpus.sources import SPLITS, Source


class World(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a world's pages come from, and what holds for them."""

    title: str
    archives: list[str]  # OWNER/NAME@COMMIT: GitHub's archives of these commits
    form: str  # of `muver.kb.importing.pages.forms.FORMS`
    named_by_file: bool = False  # headings are no titles
    files: list[str]  # patterns of the pages' paths
    skip: str = "$^"  # a regular expression, searched for in paths, of pages that are left out
    licence: str
    attribution: str
    sha256: str  # of all pages: GitHub may pack the same files anew, so archives have none


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the mentions of a dataset are chosen, and its worlds by name."""

    mentions: Mentions
    worlds: dict[str, World]


def read_recipe() -> Recipe:
    """The recipe of realworlds, from the file beside this module."""
    file = Path(__file__).with_name("realworlds.yaml")
    return msgspec.yaml.decode(file.read_bytes(), type=Recipe)


def obtain_worlds(source: Source, archives: Path, local: Path | None, out: Path) -> None:
    """Put a dataset made of public wikis into ``out/documents`` and ``out/mentions``.

    The folder ``archives`` gets them where they are missing; nothing is downloaded if the folder
    ``local`` has them, or what they unpack to.
    """
    recipe, published = read_recipe(), source.published.worlds
    with folder_beside(out) as temporary:
        files = []
        for name, world in recipe.worlds.items():
            pages: dict[str, bytes] = {}
            for archive in world.archives:
                with _unpacked(archive, archives, temporary, source.address, local) as root:
                    pages |= _pages(root, world)
            _check(name, world, pages)
            logger.info("%s: %s. %s, %s", name, world.title, world.attribution, world.licence)
            files.append(temporary / f"{name}.jsonl")
            lines = map(msgspec.json.encode, linked(pages, FORMS[world.form], world.named_by_file))
            files[-1].write_bytes(b"".join(line + b"\n" for line in lines))
        held = {s: [w for w in recipe.worlds if published[w].split == s] for s in SPLITS[1:]}
        settings = Import(html=False, mentions=msgspec.structs.replace(recipe.mentions, **held))
        import_kb(
            files,
            out=temporary / "kb",
            settings=settings,
            form="linked",
            mentions=temporary / "made",
        )
        worlds = sorted((temporary / "made").glob("*/*.json"))
        place(temporary / "made", out, [f"{file.parent.name}/{file.name}" for file in worlds])


@contextmanager
def _unpacked(
    archive: str, folder: Path, beside: Path, host: str, local: Path | None
) -> Iterator[Path]:
    """The files of a repository at a commit, downloaded if they are not there."""
    repository, _, commit = archive.partition("@")
    name = f"{repository.partition('/')[2]}-{commit}"
    folder = local or folder
    if (folder / name).is_dir():
        yield folder / name
        return
    file = folder / f"{name}.tar.gz"
    address = f"{host}/{repository}/archive/{commit}.tar.gz"
    by_hand = f"Fetch {address} by hand and put it at {file}, then run the same command again."
    if not file.is_file():
        if local is not None:
            raise InputError(f"{local}: {file.name} is not in it, nor a folder {name}. {by_hand}")
        logger.info("%s from %s", repository, address)
        fetch(address, file, by_hand)
    with unpacked(file, beside / name) as root:
        yield root / name


def _pages(root: Path, world: World) -> dict[str, bytes]:
    """The pages of a repository by path, with its name before it where a world has several."""
    before = f"{root.name.rpartition('-')[0]}/" if len(world.archives) > 1 else ""
    paths = {path for pattern in world.files for path in root.glob(pattern) if path.is_file()}
    names = {path.relative_to(root).as_posix(): path for path in paths}
    return {
        f"{before}{name}": names[name].read_bytes()
        for name in sorted(names)
        if not re.search(world.skip, name)
    }


def _check(name: str, world: World, pages: dict[str, bytes]) -> None:
    sha256 = sha256_of_all({path: hashlib.sha256(pages[path]).hexdigest() for path in pages})
    if sha256 != world.sha256:
        raise InputError(
            f"{name}: {len(pages)} pages of {', '.join(world.archives)}, and not those declared. "
            f"Their SHA-256 is {sha256}, expected {world.sha256}. Delete them and run it again."
        )
