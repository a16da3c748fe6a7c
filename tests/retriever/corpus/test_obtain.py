"""A source in place, be it a dataset, files or instructions: from an address, or by hand."""

import hashlib
import tarfile
import zipfile
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.retriever.corpus.obtain import obtain_dataset
from muver.retriever.corpus.sources import find_source
from tests.commands import call as call_stage

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


KILT = b'{"wikipedia_id": "1"}\n'


def call(*options):
    call_stage("download", *options)


def test_a_single_file_is_fetched_once_and_its_checksum_recorded(site, out):
    site.body = KILT
    call("--files", "kilt", "--out", out, "--url", site.address)
    file = out / "kilt_knowledgesource.json"
    assert file.read_bytes() == KILT
    assert (out / "kilt_knowledgesource.json.sha256").is_file()
    call("--files", "kilt", "--out", out, "--url", site.address)
    assert len(site.asked) == 1 and file.read_bytes() == KILT
    file.write_bytes(b"changed")
    with pytest.raises(InputError, match="wrong checksum"):
        call("--files", "kilt", "--out", out, "--url", site.address)


def test_a_file_fetched_by_hand_has_knowledge_base(tmp_path, out):
    (tmp_path / "mine.json").write_bytes(KILT)
    call("--files", "kilt", "--out", out, "--source", tmp_path / "mine.json")
    placed = out / "kilt_knowledgesource.json"
    assert placed.samefile(tmp_path / "mine.json") and placed.read_bytes() == KILT


def test_where_links_are_refused_it_is_copied(tmp_path, out, monkeypatch):
    refuse = Mock(side_effect=OSError(18, "another file system"))
    monkeypatch.setattr("os.link", refuse)
    (tmp_path / "mine.json").write_bytes(KILT)
    call("--files", "kilt", "--out", out, "--source", tmp_path / "mine.json")
    placed = out / "kilt_knowledgesource.json"
    assert not placed.samefile(tmp_path / "mine.json") and placed.read_bytes() == KILT


def test_an_archives_files_keep_their_folders(tmp_path, out):
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("basic/msnbc.jsonl", "x\n")
        archive.writestr("README", "y\n")
    call("--files", "blink_benchmarks", "--out", out, "--source", tmp_path / "mine.zip")
    assert (out / "basic" / "msnbc.jsonl").read_text() == "x\n"
    assert (out / "README").read_text() == "y\n"


def test_what_needs_a_licence_comes_with_instructions(tmp_path, out):
    assert find_source("aida").kind == "instructions"
    with pytest.raises(InputError, match="aida: is not downloaded .*Reuters.*linking.sets"):
        call("--files", "aida", "--out", out)
    assert not out.exists()
    (tmp_path / "mine.tsv").write_text("-DOCSTART- (1 EU)\n")
    call("--files", "aida", "--out", out, "--source", tmp_path / "mine.tsv")
    assert (out / "AIDA-YAGO2-dataset.tsv").read_text() == "-DOCSTART- (1 EU)\n"


def test_a_file_that_is_not_there(tmp_path, out):
    with pytest.raises(InputError, match="none.json: no such file or folder"):
        call("--files", "kilt", "--out", out, "--source", tmp_path / "none.json")
