"""Raw files in place: from an address, from an archive or folder fetched by hand."""

import errno
import hashlib
import tarfile
import zipfile
from dataclasses import replace

import pytest

from muver.corpus.obtain import obtain_dataset, obtain_punkt
from muver.corpus.sources import find_source
from muver.errors import InputError

SMALL = replace(find_source("zeshel"), name="small", published=None)
PUNKT = replace(find_source("punkt_english"), sha256=None)


@pytest.fixture
def archive(dataset, tmp_path):
    """ZESHEL's shape: a folder in a tar.bz2, with mention files that are not ours."""
    dataset.mentions["heldout_train_seen"] = []
    path = tmp_path / "made" / "zeshel.tar.bz2"
    path.parent.mkdir()
    with tarfile.open(path, "w:bz2") as tar:
        tar.add(dataset.write(), "zeshel")
    return path


@pytest.fixture
def place(tmp_path):
    return tmp_path / "build" / "download" / "zeshel.tar.bz2"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "build" / "raw"


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))


EXPECTED = [
    *(f"documents/{world}.json" for world in ("alpha", "beta", "gamma")),
    *(f"mentions/{split}.json" for split in ("test", "train", "val")),
]


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_downloaded_once(site, archive, place, out):
    site.body = archive.read_bytes()
    obtain_dataset(SMALL, place, out, url=site.address)
    assert names(out) == EXPECTED
    assert sorted(path.name for path in out.parent.iterdir()) == ["download", "raw"]
    obtain_dataset(SMALL, place, out, url=site.address)
    assert len(site.asked) == 1


def test_checksum_of_the_first_good_archive_is_kept(site, archive, place, out):
    site.body = archive.read_bytes()
    obtain_dataset(SMALL, place, out, url=site.address)
    record = place.with_name("zeshel.tar.bz2.sha256")
    assert record.read_text() == f"{sha256(archive)}  zeshel.tar.bz2\n"
    with tarfile.open(place, "w:gz") as tar:
        tar.add(out, "other")
    with pytest.raises(InputError, match="wrong checksum.*zeshel.tar.bz2.sha256"):
        obtain_dataset(SMALL, place, out)
    assert place.exists()


def test_damaged_download_is_not_recorded(site, archive, place, out):
    site.body = archive.read_bytes()[:-50]
    with pytest.raises(InputError, match="not a complete tar"):
        obtain_dataset(SMALL, place, out, url=site.address)
    assert not place.with_name("zeshel.tar.bz2.sha256").exists()
    assert not out.exists()


def test_pinned_checksum(site, archive, place, out):
    site.body = archive.read_bytes()
    with pytest.raises(InputError, match=f"wrong checksum.*{sha256(archive)}.*{'0' * 64}"):
        obtain_dataset(SMALL, place, out, url=site.address, sha256="0" * 64)
    assert not out.exists()
    obtain_dataset(SMALL, place, out, sha256=sha256(archive).upper())
    assert names(out) == EXPECTED


def test_dead_link_says_where_to_put_the_archive(site, place, out):
    site.status = 404
    with pytest.raises(InputError) as caught:
        obtain_dataset(SMALL, place, out, url=site.address)
    assert str(place) in str(caught.value)
    assert SMALL.page in str(caught.value)


def test_archive_fetched_by_hand(archive, place, out):
    obtain_dataset(SMALL, place, out, given=archive)
    assert names(out) == EXPECTED


def test_unpacked_folder(dataset, place, out):
    obtain_dataset(SMALL, place, out, given=dataset.write().parent)
    assert names(out) == EXPECTED
    world = "documents/alpha.json"
    assert (out / world).read_bytes() == (dataset.root / world).read_bytes()


def test_source_that_is_not_there(place, out, tmp_path):
    with pytest.raises(InputError, match="no such file or folder"):
        obtain_dataset(SMALL, place, out, given=tmp_path / "none.tar.bz2")


def test_missing_mentions_file(dataset, place, out):
    dataset.mentions["valid"] = dataset.mentions.pop("val")
    with pytest.raises(InputError, match=r"mentions/val\.json is missing. Did you mean 'valid"):
        obtain_dataset(SMALL, place, out, given=dataset.write())


def test_missing_published_world(dataset, place, out):
    dataset.documents["starwarz"] = dataset.documents["alpha"]
    worlds = {"starwars": find_source("zeshel").published.worlds["starwars"]}
    published = replace(find_source("zeshel").published, worlds=worlds)
    with pytest.raises(InputError, match="starwars.json is missing. Did you mean 'starwarz.json'"):
        obtain_dataset(replace(SMALL, published=published), place, out, given=dataset.write())


def test_target_with_worlds_of_another_dataset(dataset, place, out):
    (out / "documents").mkdir(parents=True)
    (out / "documents" / "stranger.json").write_text("")
    with pytest.raises(InputError, match="stranger.json"):
        obtain_dataset(SMALL, place, out, given=dataset.write())


def test_full_disk_keeps_the_archive(archive, place, out, monkeypatch):
    def refuse(source, target):
        raise OSError(errno.ENOSPC, "No space left on device", str(source))

    monkeypatch.setattr("shutil.copyfile", refuse)
    with pytest.raises(InputError, match="alpha.json: cannot be written .No space left"):
        obtain_dataset(SMALL, place, out, given=archive)
    assert archive.exists()
    assert names(out) == []


ENGLISH = {
    "abbrev_types.txt": "dr\nmr",
    "collocations.tab": "##number##\tth",
    "ortho_context.tab": "he\t46\nsmith\t8",
    "sent_starters.txt": "he",
}


@pytest.fixture
def punkt_zip(tmp_path):
    path = tmp_path / "made" / "punkt_tab.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as file:
        for language in ("czech", "english"):
            for name, text in ENGLISH.items():
                content = text if language == "english" else ""
                file.writestr(f"punkt_tab/{language}/{name}", content)
    return path


def test_punkt_from_its_package(site, punkt_zip, place, out):
    site.body = punkt_zip.read_bytes()
    obtain_punkt(PUNKT, place, out, url=site.address)
    assert {path.name: path.read_text() for path in out.iterdir()} == ENGLISH


def test_punkt_from_a_folder(tmp_path, place, out):
    for name, text in ENGLISH.items():
        (tmp_path / name).write_text(text)
    obtain_punkt(PUNKT, place, out, given=tmp_path)
    assert len(list(out.iterdir())) == 4


def test_punkt_of_another_checksum(site, punkt_zip, place, out):
    site.body = punkt_zip.read_bytes()
    with pytest.raises(InputError, match="wrong checksum"):
        obtain_punkt(find_source("punkt_english"), place, out, url=site.address)


def test_punkt_that_does_not_know_doctors(tmp_path, place, out):
    for name in ENGLISH:
        (tmp_path / name).write_text("")
    with pytest.raises(InputError, match="not Punkt's English parameters"):
        obtain_punkt(PUNKT, place, out, given=tmp_path)
    assert not out.exists()
