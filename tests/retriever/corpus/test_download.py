"""Downloads from a local server: whole, cut off, resumed, refused."""

import builtins
import errno

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.obtain import PIECE, fetch

BODY = bytes(range(256)) * 1200  # 307,200 bytes, several pieces
BY_HAND = "Put it at PLACE."


@pytest.fixture
def target(tmp_path):
    return tmp_path / "folder" / "archive.bin"


def part_of(target):
    return target.with_name("archive.bin.part")


@pytest.mark.parametrize("announce", [True, False])
def test_whole_file(site, target, announce):
    site.body, site.announce = BODY, announce
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY
    assert [path.name for path in target.parent.iterdir()] == ["archive.bin"]


def test_cut_off_then_resumed(site, target):
    site.body, site.cut_after = BODY, 3 * PIECE
    with pytest.raises(InputError, match="196608 bytes read.*archive.bin.part"):
        fetch(site.address, target, BY_HAND)
    assert not target.exists()
    assert part_of(target).read_bytes() == BODY[: 3 * PIECE]
    site.cut_after = None
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY
    assert site.asked == [None, "bytes=196608-"]


@pytest.mark.parametrize(
    "part, ranges, asked",
    [
        (b"other bytes", False, ["bytes=11-"]),  # the server cannot resume
        (BODY, True, [f"bytes={len(BODY)}-"]),  # complete already
        (BODY + b"more", True, [f"bytes={len(BODY) + 4}-", None]),  # of another file
    ],
)
def test_parts_that_cannot_be_continued(site, target, part, ranges, asked):
    site.body, site.ranges = BODY, ranges
    target.parent.mkdir()
    part_of(target).write_bytes(part)
    fetch(site.address, target, BY_HAND)
    assert target.read_bytes() == BODY
    assert site.asked == asked


PAGE = b"\n<!DOCTYPE html><html><title>Google Drive - Quota exceeded</title></html>"


@pytest.mark.parametrize(
    "answer, address, words",
    [
        ({"status": 404}, None, "404"),
        ({}, "http://127.0.0.1:9/none", "cannot be downloaded"),
        ({}, "not an address", "cannot be downloaded"),
        ({"body": PAGE}, None, "web page"),
        ({"body": PAGE, "content_type": "text/html; charset=utf-8"}, None, "web page"),
    ],
)
def test_what_gives_no_archive_says_what_to_do(site, target, answer, address, words):
    for key, value in answer.items():
        setattr(site, key, value)
    with pytest.raises(InputError, match=f"{words}.*{BY_HAND}"):
        fetch(address or site.address, target, BY_HAND)
    assert not target.exists()


def test_web_page_does_not_spoil_what_had_arrived(site, target):
    site.body, site.content_type = b"<html></html>" * 100, "text/html"
    target.parent.mkdir()
    part_of(target).write_bytes(BODY[:50])
    with pytest.raises(InputError, match="web page"):
        fetch(site.address, target, BY_HAND)
    assert part_of(target).read_bytes() == BODY[:50]


def test_disk_refuses(site, target, monkeypatch):
    site.body = BODY

    def refuse(path, *_, **__):
        raise OSError(errno.ENOSPC, "No space left", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", refuse)
        with pytest.raises(InputError, match="No space left.*goes on from there"):
            fetch(site.address, target, BY_HAND)
    assert not target.exists()
