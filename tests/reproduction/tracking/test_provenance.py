"""Where a row came from: commit, packages, changes, hashes."""

import hashlib
import subprocess
from importlib.metadata import version
from pathlib import Path

from muver import __version__
from muver.reproduction.tracking.provenance import (
    code_version,
    environment,
    gpus,
    machine,
    md5_of,
    versions,
)


def git(folder: Path, *arguments: str) -> str:
    options = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    command = ["git", *options, *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_outside_git(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert code_version(tmp_path) == {"muver_version": __version__}


def test_commit_and_changes(tmp_path: Path):
    run = tmp_path / "run"
    run.write_bytes(b"run")
    number = tmp_path / "metrics" / "muver.json"
    number.parent.mkdir()
    number.write_bytes(b"{}")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "run", "metrics")
    git(tmp_path, "commit", "--quiet", "-m", "x")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    found = code_version(tmp_path)
    assert (found["git_commit"], found["git_dirty"]) == (commit, "false")
    assert found["mlflow.source.git.commit"] == commit
    (tmp_path / "untracked").touch()
    number.write_bytes(b"a run's own number")
    assert code_version(tmp_path)["git_dirty"] == "false"
    run.write_bytes(b"changed")
    assert code_version(tmp_path)["git_dirty"] == "true"


def test_dvc_hash_is_dvcs(tmp_path: Path):
    (tmp_path / "run").write_bytes(b"run")
    assert md5_of(tmp_path / "run") == hashlib.md5(b"run").hexdigest()


def test_installed_packages(tmp_path: Path):
    lines = environment(tmp_path)["environment/requirements.txt"].splitlines()
    assert {f"pytest=={version('pytest')}", f"numpy=={version('numpy')}"} < set(lines)


def test_changes_of_a_checkout_are_kept(tmp_path: Path):
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("old\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    assert "environment/changes.diff" not in environment(tmp_path)
    (tmp_path / "code.py").write_text("new\n")
    patch = environment(tmp_path)["environment/changes.diff"]
    assert "-old\n+new\n" in patch
    (tmp_path / "patch").write_text(patch)
    git(tmp_path, "apply", "--reverse", "patch")
    assert (tmp_path / "code.py").read_text() == "old\n"


def test_kind_of_machine_without_names(tmp_path):
    assert set(machine()) == {"System", "Processor", "Cores", "Memory", "GPU", "Instruction set"}
    (tmp_path / "0000").mkdir()
    (tmp_path / "0000" / "information").write_text("Model: \t A GPU\nIRQ: 1\n")
    assert gpus(tmp_path) == ["A GPU"]
    assert {"muver", "Python", "numpy"} <= set(versions())
