"""Archives: every kind unpacks, none escapes, a damaged one is refused."""

import errno
import io
import stat
import tarfile
import zipfile
from contextlib import nullcontext
from unittest.mock import Mock

import pytest

from muver.io.errors import InputError
from muver.retriever.corpus.archive import find_root, unpacked

FILES = {"top/documents/a.json": b"one\n", "top/mentions/train.json": b"two\n" * 50_000}


KINDS = ["zip", "tar", "gz", "bz2", "xz"]


def packed(folder, kind, files=FILES, members=()):
    """An archive in a folder; the last three kinds are compressed tars."""
    path = folder / "archive"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in files.items():
                file.writestr(name, content)
        return path
    with tarfile.open(path, f"w:{kind.removeprefix('tar')}") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for member in members:
            tar.addfile(member)
    return path


def refused(archive, said):
    """The archive is refused in such words, and nothing is left beside it."""
    with pytest.raises(InputError, match=said), unpacked(archive, archive.parent / "out"):
        pass
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]


@pytest.mark.parametrize("kind", KINDS)
def test_unpacks_every_kind(tmp_path, kind):
    with unpacked(packed(tmp_path, kind), tmp_path / "out") as folder:
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        assert found == FILES
    assert not folder.exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keep", [0.0, 0.5, 0.99])
def test_cut_short(tmp_path, kind, keep):
    archive = packed(tmp_path, kind)
    content = archive.read_bytes()
    # A plain tar ends in padding; cut within its contents.
    archive.write_bytes(content[: int(len(content.rstrip(b"\0")) * keep)])
    refused(archive, "not a complete")


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil", "..\\evil", "C:\\evil"])
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_nothing_lands_outside_the_folder(tmp_path, name, kind):
    """A name that leads out is refused; one that does so on Windows alone is a name."""
    (tmp_path / "inner").mkdir()
    archive = packed(tmp_path / "inner", kind, {name: b"evil"})
    with (
        pytest.raises(InputError, match="leave its folder") if "/" in name else nullcontext(),
        unpacked(archive, archive.parent / "out") as folder,
    ):
        assert [path.name for path in folder.iterdir()] == [name]
    assert [path.name for path in tmp_path.rglob("*")] == ["inner", "archive"]


def member(name, kind, to=""):
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, to
    return member


@pytest.mark.parametrize(
    "members",
    [
        [member("link", tarfile.SYMTYPE, "/etc/passwd")],
        [member("link", tarfile.SYMTYPE, "top")],
        [member("link", tarfile.LNKTYPE, "top/documents/a.json")],
        [member("link", tarfile.SYMTYPE, "../out"), member("link/evil", tarfile.REGTYPE)],
        [member("pipe", tarfile.FIFOTYPE)],
        [member("device", tarfile.CHRTYPE)],
        [member("holes", tarfile.GNUTYPE_SPARSE)],
    ],
)
def test_a_tar_with_links_or_devices(tmp_path, members):
    """Links within the folder as well: `tarfile` could be led out by a chain of them."""
    refused(packed(tmp_path, "gz", members=members), "a link or a device")


def test_a_zip_with_a_member_without_a_name(tmp_path):
    archive = packed(tmp_path, "zip", {"x": b""})
    content = bytearray(archive.read_bytes())
    at = content.index(b"PK\x01\x02") + 28  # lengths of the name and of what stands behind it
    content[at : at + 3] = b"\0\0\1"
    archive.write_bytes(content)
    refused(archive, "not a complete")


def test_a_zip_with_a_link(tmp_path):
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "archive", "w") as file:
        file.writestr(info, "/etc/passwd")
    refused(tmp_path / "archive", "a link or a device")


@pytest.mark.parametrize("kind", ["gz", "zip"])
@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [("MOST_BYTES", 100_000, "100000 bytes"), ("MOST_MEMBERS", 1, "1 members")],
)
def test_too_much_for_a_dataset(tmp_path, monkeypatch, kind, limit, most, said):
    monkeypatch.setattr(f"muver.retriever.corpus.archive.{limit}", most)
    refused(packed(tmp_path, kind), said)


@pytest.mark.parametrize("kind", ["tar", "zip"])
@pytest.mark.parametrize("names", [["a" * 300], ["a", "a/b"], ["a/b", "a"], ["a", "a/b/c"]])
def test_names_that_no_folder_can_hold(tmp_path, names, kind):
    archive = packed(tmp_path, kind, dict.fromkeys(names, b"one\n"))
    refused(archive, f"archive: not unpacked.*'{names[-1]}' has no place")


def test_a_zip_with_a_password(tmp_path):
    archive = packed(tmp_path, "zip", {"a.json": b"one\n"})
    content = bytearray(archive.read_bytes())
    for mark, at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(mark) + at] |= 1
    archive.write_bytes(content)
    refused(archive, "password")


def test_root_is_the_topmost_that_has_all(tmp_path):
    for folder in ("x/documents", "x/mentions", "x/y/documents", "x/y/mentions", "documents"):
        (tmp_path / folder).mkdir(parents=True)
    assert find_root(tmp_path, ("documents", "mentions")) == tmp_path / "x"
    with pytest.raises(InputError, match="documents, sentences"):
        find_root(tmp_path, ("documents", "sentences"))


def test_disk_refuses(tmp_path, monkeypatch):
    refuse = Mock(side_effect=OSError(errno.ENOSPC, "No space left"))
    archive = packed(tmp_path, "zip")
    monkeypatch.setattr("shutil.copyfileobj", refuse)
    refused(archive, "No space left.*Nothing is left")
