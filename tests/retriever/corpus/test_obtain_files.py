"""Sources of other kinds than datasets: single files, archives as they are, instructions."""

import zipfile
from unittest.mock import Mock

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.sources import find_source
from tests.commands import call as call_stage

KILT = b'{"wikipedia_id": "1"}\n'


def call(*options):
    call_stage("download", *options)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "build" / "raw"


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
    monkeypatch.setattr("muver.retriever.corpus.obtain.os.link", refuse)
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
