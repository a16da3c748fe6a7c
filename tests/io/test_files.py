"""Files are written whole or not at all, locked, hashed, and removed if nobody keeps them."""

import errno
import os
import resource
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from muver import __version__
from muver.io import files
from muver.io.errors import InputError
from muver.io.files import (
    atomic_path,
    copy,
    folder_beside,
    read_json,
    remove_all,
    sha256_of,
    short_hash,
    size_of,
    strays,
    write_json,
    write_manifest,
    write_text,
)
from muver.io.matrices import save_matrix
from muver.retriever.training.checkpoint import Checkpoints


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_file_appears_when_all_is_written(tmp_path):
    target = tmp_path / "new" / "file"
    with atomic_path(target) as temporary:
        temporary.write_text("text")
        assert temporary.parent == target.parent and not target.exists()
    assert target.read_text() == "text"
    assert names(target.parent) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_everything_as_it_was(tmp_path, error):
    (tmp_path / "file").write_text("old")
    with pytest.raises(error), atomic_path(tmp_path / "file") as temporary:
        temporary.write_text("half")
        raise error
    assert (tmp_path / "file").read_text() == "old"
    assert names(tmp_path) == ["file"]


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    write_text(path, "दिल्ली")
    reader.join()
    assert read == ["दिल्ली"] and path.is_fifo() and list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_mix(tmp_path):
    with atomic_path(tmp_path / "file") as one, atomic_path(tmp_path / "file") as other:
        assert one != other
        one.write_text("one")
        other.write_text("other")
    assert (tmp_path / "file").read_text() == "one"  # the last to be renamed


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_all_bytes_are_on_the_disk_before_the_name_is(kind, tmp_path, monkeypatch):
    """A loss of power would otherwise leave a file that looks finished and is empty."""
    done, replace = [], os.replace

    def rename(old, new):
        done.append("rename")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", lambda one: done.append(os.readlink(f"/proc/self/fd/{one}")))
    monkeypatch.setattr(os, "replace", rename)
    with atomic_path(tmp_path / "there") as temporary:
        if kind == "folder":
            temporary.mkdir()
        inner = temporary / "inner" if kind == "folder" else temporary
        inner.write_text("text")
    before = [str(inner), str(temporary)] if kind == "folder" else [str(temporary)]
    assert done == [*before, "rename", str(tmp_path)]


def test_a_copy(tmp_path):
    (tmp_path / "source").write_bytes(b"new")
    copy(tmp_path / "source", tmp_path / "folder" / "file")
    assert (tmp_path / "folder" / "file").read_bytes() == b"new"
    with pytest.raises(FileNotFoundError, match="none"):
        copy(tmp_path / "none", tmp_path / "file")
    assert names(tmp_path) == ["folder", "source"]


def test_a_full_disk_while_copying(tmp_path, monkeypatch):
    """The system's error names the source, which is not what cannot be written."""

    def full(source, target):
        target.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device", str(source))

    (tmp_path / "source").write_text("new")
    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(InputError, match="^[^:]*/file: .*No space left.*as it was"):
        copy(tmp_path / "source", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"
    assert names(tmp_path) == ["file", "source"]


def test_every_kind_of_file_tells_that_the_disk_is_full(tmp_path):
    """A limit on the size of files stands for the full disk."""
    many = np.random.default_rng(0).random(400_000)

    def parquet():
        with atomic_path(tmp_path / "parquet") as temporary:
            pq.write_table(pa.table({"numbers": many}), temporary)

    writers = {
        "text": lambda: write_text(tmp_path / "text", "x" * 2_000_000),
        "matrix": lambda: save_matrix(tmp_path / "matrix", many),
        "parquet": parquet,
        "last": lambda: Checkpoints(tmp_path, "key").save("last", {"w": torch.tensor(many)}),
    }
    limit, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, hard))
    try:
        for name, write in writers.items():
            with pytest.raises(InputError, match=rf"{name}.*cannot be written \("):
                write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    assert names(tmp_path) == []


def test_what_a_killed_process_left_beside_is_removed_and_a_living_one_s_is_not(tmp_path):
    script = (
        "import sys, pathlib; from muver.io.files import folder_beside\n"
        "with folder_beside(pathlib.Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').touch(); print(folder.name, flush=True); sys.stdin.read()"
    )
    call = [sys.executable, "-c", script, str(tmp_path / "kb")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(call, **pipes) as one, subprocess.Popen(call, **pipes) as other:
        killed, living = one.stdout.readline().strip(), other.stdout.readline().strip()
        one.kill()
        one.wait()
        (tmp_path / ".kb.note.tmp").mkdir()  # not made here
        assert killed in names(tmp_path)
        with folder_beside(tmp_path / "kb") as ours:
            assert names(tmp_path) == sorted([living, ".kb.note.tmp", ours.name])
        other.communicate()
    assert names(tmp_path) == [".kb.note.tmp"]


def test_a_folder_beside_may_lie_in_another_one(tmp_path):
    with folder_beside(tmp_path / "index") as outer, folder_beside(outer / "kb") as inner:
        assert inner.parent == outer and inner.is_dir()
    assert not names(tmp_path)


def test_a_folder_beside_is_gone_in_the_end_or_stays_under_its_new_name(tmp_path):
    out = tmp_path / "new" / "out"
    with pytest.raises(ZeroDivisionError), folder_beside(out) as folder:
        (folder / "half").touch()
        assert folder.parent == out.parent
        raise ZeroDivisionError
    assert list(out.parent.iterdir()) == []
    with folder_beside(out) as folder:
        folder.rename(out)
    assert list(out.parent.iterdir()) == [out] and out.stat().st_mode & 0o777 == 0o755


def test_what_cannot_be_written(tmp_path, monkeypatch):
    """Below a file; and without permission, for root as well, who may write everywhere."""

    def refuse(self, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    (tmp_path / "file").touch()
    for path in ("file/below", "file/further/below"):
        with pytest.raises(InputError, match=f"{path}: cannot be written"):
            write_text(tmp_path / path, "text")
    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(InputError, match="cannot be written .Permission denied"):
        write_text(tmp_path / "file", "text")


def test_an_error_of_another_file_is_left_alone(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "file"):
        (tmp_path / "other").read_text()


def test_json_keeps_its_order_and_its_letters(tmp_path):
    write_json(tmp_path / "file", {"b": "é", "a": [1]})
    text = (tmp_path / "file").read_text(encoding="utf-8")
    assert text == '{\n  "b": "é",\n  "a": [\n    1\n  ]\n}\n'
    assert read_json(tmp_path / "file") == {"b": "é", "a": [1]}


def test_json_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="none: no such file"):
        read_json(tmp_path / "none")
    (tmp_path / "file").write_text('{\n"a": }')
    with pytest.raises(InputError, match="file, line 2: not valid JSON"):
        read_json(tmp_path / "file")
    (tmp_path / "file").write_text("[" * 3000)
    with pytest.raises(InputError, match="file: cannot be read .*recursion"):
        read_json(tmp_path / "file")
    (tmp_path / "file").write_text("9" * 5000)
    with pytest.raises(InputError, match="file: cannot be read .*4300 digits"):
        read_json(tmp_path / "file")
    (tmp_path / "file").write_text('[{"a": {"b": 1, "c": 1, "b": 1}}]')
    with pytest.raises(InputError, match=r"file: .* 'b' comes twice; leave one out\). Ask\.$"):
        read_json(tmp_path / "file", "Ask.")


def test_hashes_are_of_the_value_and_not_of_its_spelling():
    assert short_hash({"b": 1, "a": 2}) == short_hash({"a": 2, "b": 1})
    assert short_hash({"a": 1}) != short_hash({"a": 2})
    # printf '{"a":"é","b":1}' | sha256sum
    assert short_hash({"b": 1, "a": "é"}) == "aa58fba84836"
    assert len(short_hash({}, 20)) == 20


@pytest.mark.parametrize("name, says", [("none", "no such file"), (".", "cannot be read .Is a")])
def test_what_has_no_hash_is_named(tmp_path, name, says):
    with pytest.raises(InputError, match=f"{tmp_path / name}: {says}"):
        sha256_of(tmp_path / name)


def test_a_manifest_has_neither_times_nor_paths(tmp_path):
    write_manifest(tmp_path / "file", "merge", {"layers": 4}, {"store": "abc"}, worlds=3)
    assert read_json(tmp_path / "file") == {
        "stage": "merge",
        "muver": __version__,
        "settings": {"layers": 4},
        "inputs": {"store": "abc"},
        "worlds": 3,
    }


def below(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_points_of_a_grid_have_dots_in_their_names(tmp_path):
    names = ["lr0.0001_wd0.01_wu0.1_bs8", "lr0.0003_wd0.01_wu0.1_bs8"]
    for name in names:
        (tmp_path / f"{name}.jsonl").touch()
    assert list(strays(tmp_path, [tmp_path / names[0]])) == [tmp_path / f"{names[1]}.jsonl"]


def test_files_by_their_name_without_suffix_and_folders_by_all_of_it(tmp_path):
    for file in ("test/muver.parquet", "test/muver.json", "test/muver_max.json", "val/muver.json"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "test" / "muver.old").mkdir()
    remove_all(strays(tmp_path, [tmp_path / "test/muver"]))
    assert below(tmp_path) == ["test", "test/muver.json", "test/muver.parquet"]


def test_folders_are_kept_whole_however_deep(tmp_path):
    for name in ("test/muver", "val/muver", "test/som", "train/muver"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "layer0.npy").write_bytes(bytes(10))
    left = list(strays(tmp_path, [tmp_path / "test/muver", tmp_path / "val/muver"]))
    assert left == [tmp_path / "test/som", tmp_path / "train"]
    assert [size_of(path) for path in left] == [10, 10]
    assert list(strays(tmp_path / "nowhere", [])) == []


def test_a_folder_beside_that_others_took_for_abandoned_is_made_again(tmp_path, monkeypatch):
    """As by a process that looked between its making and its lock, and as by one at work there."""
    real, folders = files.locked, []

    def disturbed(path, *how, **more):
        folders.append(path)
        if len(folders) == 1:
            path.rmdir()
        if len(folders) == 2:
            raise BlockingIOError
        return real(path, *how, **more)

    monkeypatch.setattr(files, "locked", disturbed)
    with folder_beside(tmp_path / "kb") as folder:
        assert folder == folders[2] and folder.is_dir()


def test_a_process_killed_before_it_holds_its_folder_leaves_nothing_for_long(tmp_path):
    script = (
        "import os, sys, pathlib; from muver.io import files\n"
        "files.locked = lambda *_, **__: os._exit(9)\n"
        "with files.folder_beside(pathlib.Path(sys.argv[1])): pass"
    )
    assert subprocess.run([sys.executable, "-c", script, tmp_path / "kb"]).returncode == 9
    assert names(tmp_path)
    with folder_beside(tmp_path / "kb"):
        pass
    assert not names(tmp_path)
