"""Commit and hash tags."""

import hashlib
import subprocess
from pathlib import Path

from muver import __version__
from muver.tracking.provenance import code_version, file_hash


def git(folder: Path, *arguments: str) -> str:
    options = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    command = ["git", *options, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_outside_git_and_dvc(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "run").write_bytes(b"run")
    assert code_version(tmp_path) == {"muver_version": __version__}
    assert file_hash(tmp_path / "run", tmp_path) == {}


def test_commit_and_changes(tmp_path: Path):
    run = tmp_path / "run"
    run.write_bytes(b"run")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "run")
    git(tmp_path, "commit", "--quiet", "-m", "x")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    found = code_version(tmp_path)
    assert (found["git_commit"], found["git_dirty"]) == (commit, "false")
    assert found["mlflow.source.git.commit"] == commit
    (tmp_path / "untracked").touch()
    assert code_version(tmp_path)["git_dirty"] == "false"
    run.write_bytes(b"changed")
    assert code_version(tmp_path)["git_dirty"] == "true"


def test_dvc_hash_is_dvcs(tmp_path: Path):
    (tmp_path / "run").write_bytes(b"run")
    (tmp_path / "dvc.lock").touch()
    expected = {"dvc_md5": hashlib.md5(b"run").hexdigest()}
    assert file_hash(tmp_path / "run", tmp_path) == expected
