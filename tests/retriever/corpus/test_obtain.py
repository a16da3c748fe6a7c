"""A dataset in place: from an address, from an archive or folder fetched by hand."""

import hashlib
import tarfile

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.retriever.corpus.obtain import obtain_dataset
from muver.retriever.corpus.sources import find_source

SMALL = replace(find_source("zeshel"), name="small", published=None)


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


def test_downloaded_once_and_the_checksum_of_the_first_good_archive_is_kept(
    site, archive, place, out
):
    site.body = archive.read_bytes()
    for _ in range(2):
        obtain_dataset(replace(SMALL, address=site.address), place, None, out)
        assert names(out) == EXPECTED and len(site.asked) == 1
    assert sorted(path.name for path in out.parent.iterdir()) == ["download", "raw"]
    record = place.with_name("zeshel.tar.bz2.sha256")
    assert record.read_text() == f"{sha256(archive)}  zeshel.tar.bz2\n"
    with tarfile.open(place, "w:gz") as tar:
        tar.add(out, "other")
    with pytest.raises(InputError, match="wrong checksum.*zeshel.tar.bz2.sha256"):
        obtain_dataset(SMALL, place, None, out)
    assert place.exists()


def test_damaged_download_is_not_recorded(site, archive, place, out):
    site.body = archive.read_bytes()[:-50]
    with pytest.raises(InputError, match="not a complete tar"):
        obtain_dataset(replace(SMALL, address=site.address), place, None, out)
    assert not place.with_name("zeshel.tar.bz2.sha256").exists()
    assert not out.exists()


def test_pinned_checksum(site, archive, place, out):
    site.body = archive.read_bytes()
    with pytest.raises(InputError, match=f"wrong checksum.*{sha256(archive)}.*{'0' * 64}"):
        obtain_dataset(replace(SMALL, address=site.address, sha256="0" * 64), place, None, out)
    assert not out.exists()
    obtain_dataset(replace(SMALL, sha256=sha256(archive).upper()), place, None, out)
    assert names(out) == EXPECTED


def test_no_archive_says_where_to_put_it(site, place, out):
    site.status = 404
    with pytest.raises(InputError) as caught:
        obtain_dataset(replace(SMALL, address=site.address), place, None, out)
    assert str(place) in str(caught.value)
    assert SMALL.page in str(caught.value)
    with pytest.raises(InputError, match="none.tar.bz2: no such file"):
        obtain_dataset(SMALL, place, place.with_name("none.tar.bz2"), out)


def test_archive_fetched_by_hand(archive, place, out):
    obtain_dataset(SMALL, place, archive, out)
    assert names(out) == EXPECTED


def test_unpacked_folder(dataset, place, out):
    obtain_dataset(SMALL, place, dataset.write().parent, out)
    assert names(out) == EXPECTED
    world = "documents/alpha.json"
    assert (out / world).read_bytes() == (dataset.root / world).read_bytes()


def test_missing_files_are_named(dataset, place, out):
    dataset.documents["starwarz"] = dataset.documents["alpha"]
    worlds = {"starwars": find_source("zeshel").published.worlds["starwars"]}
    source = replace(SMALL, published=replace(find_source("zeshel").published, worlds=worlds))
    with pytest.raises(InputError, match="starwars.json of small is missing"):
        obtain_dataset(source, place, dataset.write(), out)
    (dataset.root / "mentions" / "val.json").rename(dataset.root / "mentions" / "valid.json")
    with pytest.raises(InputError, match="val.json of small is missing"):
        obtain_dataset(SMALL, place, dataset.root, out)
