"""Archives: every kind unpacks, none escapes, a damaged one is refused."""

import contextlib
import errno
import io
import tarfile
import zipfile

import pytest

from muver.corpus.archive import find_root, unpacked
from muver.io.errors import InputError

FILES = {"top/documents/a.json": b"one\n", "top/mentions/train.json": b"two\n" * 50_000}


def make_tar(path, mode, files=FILES, members=()):
    with tarfile.open(path, mode) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for member in members:
            tar.addfile(member)
    return path


def make_zip(path, files=FILES):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return path


MAKERS = {
    "tar": lambda path: make_tar(path, "w"),
    "tar.gz": lambda path: make_tar(path, "w:gz"),
    "tar.bz2": lambda path: make_tar(path, "w:bz2"),
    "tar.xz": lambda path: make_tar(path, "w:xz"),
    "zip": make_zip,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_unpacks_every_kind(tmp_path, kind):
    archive = MAKERS[kind](tmp_path / "archive")
    with unpacked(archive, tmp_path / "out") as folder:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        assert found == FILES
    assert not folder.exists()


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("keep", [0.0, 0.5, 0.95, 0.99])
def test_cut_short(tmp_path, kind, keep):
    archive = MAKERS[kind](tmp_path / "archive")
    content = archive.read_bytes()
    # A plain tar ends in padding; cut within its contents.
    archive.write_bytes(content[: int(len(content.rstrip(b"\0")) * keep)])
    with pytest.raises(InputError, match="not a complete"), unpacked(archive, tmp_path / "out"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil", "..\\evil", "C:\\evil"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_nothing_lands_outside_the_folder(tmp_path, name, kind):
    """A tar that tries is refused; what a zip has is unpacked inside the folder."""
    archive = tmp_path / "inner" / "archive"
    archive.parent.mkdir()
    make_tar(archive, "w", {name: b"evil"}) if kind == "tar" else make_zip(archive, {name: b"evil"})
    with contextlib.suppress(InputError), unpacked(archive, archive.parent / "out") as folder:
        there = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        assert len(there) == 1
        assert not ("../" in name and kind == "tar")
    assert [path.name for path in tmp_path.rglob("*")] == ["inner", "archive"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_to_elsewhere_and_devices(tmp_path, kind):
    member = tarfile.TarInfo("link")
    member.type, member.linkname = kind, "/etc/passwd"
    archive = make_tar(tmp_path / "archive", "w", members=[member])
    with pytest.raises(InputError, match="not unpacked"), unpacked(archive, tmp_path / "out"):
        pass


def test_root_is_the_topmost_that_has_all(tmp_path):
    for folder in ("x/documents", "x/mentions", "x/y/documents", "x/y/mentions", "documents"):
        (tmp_path / folder).mkdir(parents=True)
    assert find_root(tmp_path, ("documents", "mentions")) == tmp_path / "x"
    with pytest.raises(InputError, match="documents, sentences"):
        find_root(tmp_path, ("documents", "sentences"))


@pytest.mark.parametrize(
    "number, words", [(errno.ENOSPC, "No space left"), (errno.EROFS, "Read-only file system")]
)
def test_disk_refuses(tmp_path, monkeypatch, number, words):
    def refuse(*_):
        raise OSError(number, words)

    archive = make_zip(tmp_path / "archive")
    monkeypatch.setattr("shutil.copyfileobj", refuse)
    refused = pytest.raises(InputError, match=f"{words}.*Nothing is left")
    with refused, unpacked(archive, tmp_path / "out"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]
