"""Lists of SHA-256 whose file DVC has linked to its cache: what lies there stays as it is."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from dvc.repo import Repo

from muver.io.checksums import seal, verify
from muver.io.files import write_text

NOBODY = 65534
FOLDER = Path("build/models")
FIRST, SECOND = (FOLDER / f"muver-0123abcd/{name}" for name in ("config.json", "log.jsonl"))
LIST = FOLDER / "muver-0123abcd.sha256"


@pytest.fixture
def project(monkeypatch):
    """A folder that every user may enter, which is none of pytest's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    monkeypatch.chdir(folder)
    yield folder
    monkeypatch.undo()
    shutil.rmtree(folder)


@contextlib.contextmanager
def as_user(user, folder):
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)


def cached():
    return {path: path.read_bytes() for path in Path(".dvc/cache").rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ["symlink", "hardlink", "copy", "reflink,copy"])
@pytest.mark.parametrize("user", [0, NOBODY] if os.getuid() == 0 else [None])
def test_the_cache_stays_as_it_is(kind, user, project):
    write_text(FIRST, "{}")
    seal([FIRST])
    with Repo.init(no_scm=True) as repo, repo.config.edit() as config:
        config["cache"]["type"] = kind.split(",")
    with Repo() as repo:
        repo.add("build")
        repo.checkout(relink=True)
    assert LIST.is_symlink() == (kind == "symlink")
    assert (LIST.stat().st_nlink > 1) == (kind == "hardlink")
    before = cached()
    with as_user(user, project) if user else contextlib.nullcontext():
        write_text(SECOND, "एक\n")
        seal([SECOND])
        write_text(FIRST, "[]")  # in place of what is linked
        seal([FIRST])
    assert cached() == before and not LIST.is_symlink()
    verify(folder=Path("build"))
    with Repo() as repo:
        assert repo.status()
        repo.add("build")
        assert cached().items() > before.items() and not repo.status()
