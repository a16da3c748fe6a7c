"""Compressions, encodings, archives that were cut off, and work in several processes."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.opening import in_order, opened, opened_text

TEXT = "id,title\n1,Müller – „Größe“\n"


def read(path):
    with opened(path) as stream:
        return stream.read()


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
        (tmp_path, "Is a directory"),
        (written("page.csv.gz", b"<html>"), "not compressed.* rename it to .*page.csv if"),
        (written("t.xz", b""), "t.xz: not compressed, though its ending says so"),
        (written("t.zst", b"\x28\xb5\x2f\xfd..."), "unzstd"),
        (written("t.7z", b"7z\xbc\xaf\x27\x1c..."), "7z e"),
    ):
        with pytest.raises(InputError, match=named):
            read(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "gb18030"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_encodings(encoding, compress, written):
    path = written("t.csv", compress(TEXT.encode(encoding)))
    with opened_text(path, None if encoding.startswith("utf") else encoding) as text:
        assert text.read() == TEXT


@pytest.mark.parametrize("encoding", [None, "ascii", "utf-99"])
def test_another_encoding(encoding, written):
    path = written("t.csv", TEXT.encode("cp1252"))
    with (
        pytest.raises(InputError, match="t.csv(, line 2)?: (not|Python).*--settings .*encoding"),
        opened_text(path, encoding) as text,
    ):
        text.read()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("encoding", "wrong"),
    [
        ("utf-8", b"M\xfcller"),
        ("utf-16", b"\x00\xdc\x00\xdc"),
        ("gb18030", b"\xff"),
        ("utf-8", b"\xc3"),  # the file ends here
    ],
)
def test_the_line_that_is_no_text_is_named(end, encoding, wrong, written):
    start = "".join(f"{number},Größe{end}" for number in range(1, 5002)).encode(encoding)
    rest = "" if wrong == b"\xc3" else f"{end}5003,x{end}"
    after = rest.encode("utf-16-le" if encoding == "utf-16" else encoding)
    path = written("t.csv.gz", gzip.compress(start + wrong + after))
    with (
        pytest.raises(InputError, match=f"t.csv.gz, line 5002: not {encoding}.*encoding"),
        opened_text(path, encoding if encoding == "gb18030" else None) as text,
    ):
        text.read()


def double(number):
    return 2 * number


def die(number):
    os._exit(1)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_order_and_little_is_read_ahead(workers):
    read = []

    def numbers():
        for number in range(20):
            read.append(number)
            yield number

    results = in_order(double, numbers(), workers)
    assert next(results) == 0
    assert len(read) <= 2 * workers + 1
    assert list(results) == [2 * number for number in range(1, 20)]


def test_a_process_that_was_killed():
    with pytest.raises(InputError, match="perhaps for want of memory.*fewer --workers"):
        list(in_order(die, [1, 2], 2))


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    """They would wait for its next piece of work for ever."""
    code = """
import os, sys, time
from tests.kb.importing.test_opening import tell
from muver.retriever.corpus.opening import in_order
if __name__ == "__main__":
    results = in_order(tell, [sys.argv[1]] * 9, 2)  # which is kept, or its workers end
    next(results)
    time.sleep(600)
"""
    (tmp_path / "parent.py").write_text(code)
    with subprocess.Popen(
        [sys.executable, tmp_path / "parent.py", tmp_path], env={**os.environ, "PYTHONPATH": "."}
    ) as parent:
        try:
            until_two_work(tmp_path)
            workers = psutil.Process(parent.pid).children(recursive=True)
        finally:
            parent.kill()
    told = {one.stem for one in tmp_path.glob("*.worker")}
    assert told <= {str(one.pid) for one in workers}
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive


def tell(folder: str) -> None:
    """Wait for the other worker, lest one does all the work before there is a second."""
    Path(folder, f"{os.getpid()}.worker").touch()
    until_two_work(folder)


def until_two_work(folder: str) -> None:
    wait_until(lambda: len(list(Path(folder).glob("*.worker"))) == 2)


def wait_until(happened) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, "it has not happened in a minute"
        time.sleep(0.05)
