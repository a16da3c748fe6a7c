"""Punkt's English parameters in place: from an address, or from a folder fetched by hand."""

import zipfile

import pytest
from msgspec.structs import replace

from muver.io.errors import InputError
from muver.kb.importing.download import obtain_english
from muver.retriever.corpus.sources import find_source

PUNKT = replace(find_source("punkt_english"), sha256=None)
ENGLISH = {
    "abbrev_types.txt": "dr\nmr",
    "collocations.tab": "##number##\tth",
    "ortho_context.tab": "he\t46\nsmith\t8",
    "sent_starters.txt": "he",
}


@pytest.fixture
def place(tmp_path):
    return tmp_path / "build" / "download" / "punkt_tab.zip"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "build" / "english"


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
    obtain_english(replace(PUNKT, address=site.address), place, None, out)
    assert {path.name: path.read_text() for path in out.iterdir()} == ENGLISH


def test_punkt_from_a_folder(tmp_path, place, out):
    for name, text in ENGLISH.items():
        (tmp_path / name).write_text(text)
    obtain_english(PUNKT, place, tmp_path, out)
    assert len(list(out.iterdir())) == 4


def test_punkt_that_does_not_know_doctors(tmp_path, place, out):
    for name in ENGLISH:
        (tmp_path / name).write_text("")
    with pytest.raises(InputError, match="not Punkt's English parameters"):
        obtain_english(PUNKT, place, tmp_path, out)
    assert not out.exists()
