"""Downloads from a local server: whole, cut off, resumed, refused."""

import builtins
import errno

import pytest

from muver.corpus.download import PIECE, fetch
from muver.io.errors import InputError

BODY = bytes(range(256)) * 1200  # 307,200 bytes, several pieces
BY_HAND = "Put it at PLACE."


@pytest.fixture
def target(tmp_path):
    return tmp_path / "folder" / "archive.bin"


def part_of(target):
    return target.with_name("archive.bin.part")


def test_whole_file(site, target):
    site.body = BODY
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY
    assert [path.name for path in target.parent.iterdir()] == ["archive.bin"]


def test_size_not_announced(site, target):
    site.body, site.announce = BODY, False
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY


def test_cut_off_then_resumed(site, target):
    site.body, site.cut_after = BODY, 3 * PIECE
    with pytest.raises(InputError, match="196608 of 307200 bytes.*run the same command again"):
        fetch(site.address, target, BY_HAND)
    assert not target.exists()
    assert part_of(target).read_bytes() == BODY[: 3 * PIECE]
    site.cut_after = None
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY
    assert site.asked == [None, "bytes=196608-"]


def test_server_without_ranges_starts_again(site, target):
    site.body, site.ranges = BODY, False
    target.parent.mkdir()
    part_of(target).write_bytes(b"other bytes")
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY


def test_part_that_is_complete_needs_no_bytes(site, target):
    site.body = BODY
    target.parent.mkdir()
    part_of(target).write_bytes(BODY)
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY
    assert site.asked == [f"bytes={len(BODY)}-"]


def test_part_longer_than_the_file_starts_again(site, target):
    site.body = BODY
    target.parent.mkdir()
    part_of(target).write_bytes(BODY + b"more")
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY


def test_dead_link_says_what_to_do(site, target):
    site.status = 404
    with pytest.raises(InputError, match="status 404.*Put it at PLACE"):
        fetch(site.address, target, BY_HAND)


def test_no_server_says_what_to_do(target):
    with pytest.raises(InputError, match="cannot be downloaded.*Put it at PLACE"):
        fetch("http://127.0.0.1:9/none", target, BY_HAND)


def test_address_that_is_none(target):
    with pytest.raises(InputError, match="cannot be downloaded"):
        fetch("not an address", target, BY_HAND)


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "application/octet-stream"])
def test_web_page_instead_of_archive(site, target, content_type):
    site.content_type = content_type
    site.body = b"\n<!DOCTYPE html><html><title>Google Drive - Quota exceeded</title></html>"
    with pytest.raises(InputError, match="web page instead.*Put it at PLACE"):
        fetch(site.address, target, BY_HAND)
    assert not target.exists()


def test_web_page_does_not_spoil_what_had_arrived(site, target):
    site.body, site.content_type = b"<html></html>" * 100, "text/html"
    target.parent.mkdir()
    part_of(target).write_bytes(BODY[:50])
    with pytest.raises(InputError, match="web page"):
        fetch(site.address, target, BY_HAND)
    assert part_of(target).read_bytes() == BODY[:50]


@pytest.mark.parametrize(
    "number, words", [(errno.ENOSPC, "No space left"), (errno.EROFS, "Read-only file system")]
)
def test_disk_refuses(site, target, monkeypatch, number, words):
    site.body = BODY

    def refuse(path, *_, **__):
        raise OSError(number, words, str(path))

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", refuse)
        with pytest.raises(InputError, match=f"{words}.*goes on from there"):
            fetch(site.address, target, BY_HAND)
    assert not target.exists()
