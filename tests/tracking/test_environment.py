"""Packages and uncommitted changes."""

import subprocess
from importlib.metadata import version
from pathlib import Path

from muver.tracking.environment import MOST, environment


def git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def test_packages_beside_the_lock(tmp_path: Path):
    (tmp_path / "requirements").mkdir()
    lock = f"pytest=={version('pytest')} \\\n    --hash=sha256:0\nPyYAML==0.1\n"
    (tmp_path / "requirements" / "base.lock").write_text(lock)
    lines = environment(tmp_path)["environment/requirements.txt"].splitlines()
    assert f"pytest=={version('pytest')}" in lines
    assert f"pyyaml=={version('pyyaml')}  # the lock: 0.1" in lines
    assert f"numpy=={version('numpy')}  # not in the lock" in lines
    assert list(environment(tmp_path)) == ["environment/requirements.txt"]


def test_changes_of_a_checkout_are_kept_within_bounds(tmp_path: Path):
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("old\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    assert "environment/changes.diff" not in environment(tmp_path)
    (tmp_path / "code.py").write_text("new\n")
    patch = environment(tmp_path)["environment/changes.diff"]
    assert "-old\n+new\n" in patch
    (tmp_path / "patch").write_text(patch)
    git(tmp_path, "apply", "--reverse", "patch")
    assert (tmp_path / "code.py").read_text() == "old\n"
    (tmp_path / "code.py").write_text("long\n" * MOST)
    patch = environment(tmp_path)["environment/changes.diff"]
    assert patch.endswith("characters more, left out\n")
    assert len(patch) < MOST + 100
