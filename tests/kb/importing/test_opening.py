"""Compressions, encodings, and archives that were cut off."""

import bz2
import gzip
import lzma

import pytest

from muver.io.errors import InputError
from muver.kb.importing.opening import encoding_of, opened, opened_text
from muver.kb.importing.settings import Import

TEXT = "id,title\n1,Müller – „Größe“\n"


def read(path):
    with opened(path) as stream:
        return stream.read()


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_the_first_bytes_tell_the_compression(compress, written):
    path = written("table.csv", compress(TEXT.encode()))
    assert read(path).decode() == TEXT


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_an_archive_that_was_cut_off_or_spoilt(compress, written):
    whole = compress(TEXT.encode() * 5000)
    with pytest.raises(InputError, match="t.gz: the archive ends too early. Was the download cut"):
        read(written("t.gz", whole[: len(whole) // 2]))
    middle = len(whole) // 2
    with pytest.raises(InputError, match="t.gz: the archive (is damaged|ends too early)"):
        read(written("t.gz", whole[:middle] + bytes(30) + whole[middle + 30 :]))


def test_what_cannot_be_opened(tmp_path, written):
    for path, named in (
        (tmp_path / "none.csv", "none.csv: .*no such file"),
        (tmp_path, "is a directory"),
        (written("t.zst", b"\x28\xb5\x2f\xfd..."), "unzstd"),
        (written("t.7z", b"7z\xbc\xaf\x27\x1c..."), "7z e"),
    ):
        with pytest.raises(InputError, match=named):
            read(path)


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("cp1252", "cp1252"),
    ],
)
def test_the_encoding_is_found_out(encoding, found, written, caplog, monkeypatch):
    # So that a letter lies across two pieces.
    monkeypatch.setattr("muver.kb.importing.opening.PIECE", 16)
    monkeypatch.setattr("muver.io.progress.logger.propagate", True)
    path = written("t.csv", TEXT.encode(encoding))
    assert encoding_of(path, Import()) == found
    with opened_text(path, Import()) as text:
        assert text.read() == TEXT
    assert ("read as cp1252" in caplog.text) == (encoding == "cp1252")


def test_an_encoding_that_is_named(written):
    path = written(
        "t.csv", TEXT.replace("–", "-").replace("„", "").replace("“", "").encode("cp437")
    )
    with opened_text(path, Import(encoding="cp437")) as text:
        assert "Größe" in text.read()
    with pytest.raises(InputError, match="encoding is 'utf-99', which Python doesn't know"):
        encoding_of(path, Import(encoding="utf-99"))
    with (
        pytest.raises(InputError, match="t.csv: not ascii text"),
        opened_text(path, Import(encoding="ascii")) as text,
    ):
        text.read()


def test_bytes_of_no_encoding(written):
    with (
        pytest.raises(InputError, match="not cp1252 text .* Name its encoding"),
        opened_text(written("t.csv", b"id,title\n1,\x81\xff\n"), Import()) as text,
    ):
        text.read()
