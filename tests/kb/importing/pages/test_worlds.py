"""A dataset of public wikis, from archives of small repositories made on the spot."""

import hashlib
import json
import shutil
import tarfile

import pytest

from muver.io.errors import InputError
from muver.io.files import write_text
from muver.kb.importing.download import download
from muver.kb.importing.pages import worlds
from muver.kb.importing.pages.forms import FORMS
from muver.retriever.corpus.corpus_settings import BuildCorpus, Download
from muver.retriever.corpus.sources import SPLITS, find_source
from muver.retriever.corpus.zeshel import build_corpus

COMMIT = "0" * 40
PAGES = {
    "docs/Brig.md": "A brig is a ship with two masts, and so is a snow or a sloop, [old](Dock.md).",
    "docs/Dock.md": "In a dock the ships are mended, and then they sail. A [two-master](Brig) is.",
    "docs/skipped.md": "Nobody should see this page, which has enough words in it to be kept here.",
    "README.md": "Not among the pages.",
}


def pinned(pages):
    lines = (f"{path}\0{hashlib.sha256(pages[path].encode()).hexdigest()}\n" for path in pages)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.fixture
def recipe(monkeypatch):
    """A world in each split, all of one repository."""
    mentions = worlds.read_recipe().mentions
    used = {path: PAGES[path] for path in ("docs/Brig.md", "docs/Dock.md")}
    small = worlds.World(
        title="Ships", archives=[f"someone/ships@{COMMIT}"], form="markdown", files=["docs/*.md"],
        skip="skipped", licence="CC0", attribution="nobody", sha256=pinned(used),
    )  # fmt: skip
    monkeypatch.setattr(
        worlds, "read_recipe",
        lambda: worlds.Recipe(mentions, dict.fromkeys(("cpp", "openttd", "roblox"), small)),
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """The repository as its archive unpacks."""
    root = tmp_path / "given" / f"ships-{COMMIT}"
    for name, text in PAGES.items():
        write_text(root / name, text)
    return root


@pytest.fixture
def archive(folder):
    path = folder.parent / f"{folder.name}.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder, folder.name)
    shutil.rmtree(folder)
    return path


def obtain(tmp_path, **options):
    out = tmp_path / "build" / "raw"
    settings = options.pop("settings", Download())
    download(out, settings, dataset="realworlds", **options)
    return out


def links(out):
    """What each mention of the test split says, and its gold page."""
    lines = [json.loads(line) for line in (out / "mentions" / "test.json").open()]
    return {(one["text"], one["label_document_id"]) for one in lines}


LINKS = {("two - master", "docs/Brig.md"), ("old", "docs/Dock.md")}


def test_downloaded_once_and_made_into_mentions(recipe, archive, site, tmp_path):
    site.body = archive.read_bytes()
    out = obtain(tmp_path, url=site.address)
    assert sorted(path.name for path in (out / "documents").iterdir()) == [
        "cpp.json", "openttd.json", "roblox.json",
    ]  # fmt: skip
    assert links(out) == LINKS
    files = [tmp_path / name for name in ("e.parquet", "m.parquet", "c.json")]
    checked = build_corpus("own", out, *files, BuildCorpus(context_tokens=128))
    assert checked.entities == checked.mentions == dict.fromkeys(SPLITS, 2)
    before = (out / "mentions" / "test.json").read_bytes()
    obtain(tmp_path, url=site.address)
    assert len(site.asked) == 1
    assert (out / "mentions" / "test.json").read_bytes() == before


@pytest.mark.parametrize("kind", ["folder", "archive"])
def test_fetched_by_hand(kind, recipe, request, tmp_path):
    assert links(obtain(tmp_path, source=request.getfixturevalue(kind).parent)) == LINKS


def test_what_is_wrong(recipe, folder, tmp_path):
    with pytest.raises(InputError, match=f"ships-{COMMIT}.tar.gz is not in it, nor a folder"):
        obtain(tmp_path, source=tmp_path)
    (folder / "docs" / "Brig.md").write_text("Another ship.")
    with pytest.raises(InputError, match="cpp: 2 pages of .* not those declared"):
        obtain(tmp_path, source=folder.parent)
    assert not (tmp_path / "build" / "raw").exists()


def test_another_archive_under_the_name(recipe, archive, tmp_path):
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(__file__, "else/file.py")
    with pytest.raises(InputError, match="cpp: 0 pages of .* not those declared"):
        obtain(tmp_path, source=archive.parent)


def test_the_declared_worlds():
    recipe, published = worlds.read_recipe(), find_source("realworlds").published
    assert sorted(recipe.worlds) == sorted(published.worlds)
    for split, total in published.entities.items():
        own = [one.entities for one in published.worlds.values() if one.split == split]
        assert sum(own) == total and published.mentions[split]
    for world in recipe.worlds.values():
        assert world.form in FORMS and len(world.sha256) == 64
        assert all(len(archive.partition("@")[2]) == 40 for archive in world.archives)
