"""Where a row came from: the code's commit, and the hash by which DVC knows the run file."""

import hashlib
import subprocess
from pathlib import Path

from muver import __version__


def code_version(folder: Path = Path(".")) -> dict[str, str]:
    """Tags that say what code made a row.

    Parameters
    ----------
    folder
        The project's folder, where git is looked for; without it its tags are absent.
    """
    tags = {"muver_version": __version__}
    commit = _git(folder, "rev-parse", "HEAD")
    if commit:
        tags["git_commit"] = commit
        # MLflow's own name for it; the UI shows it in the column "Version".
        tags["mlflow.source.git.commit"] = commit
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
        tags["git_dirty"] = "true" if changed else "false"
    return tags


def file_hash(path: Path, folder: Path = Path(".")) -> dict[str, str]:
    """The tag that names a file in DVC; none where there is no ``dvc.lock``."""
    return {"dvc_md5": md5_of(path)} if (folder / "dvc.lock").exists() else {}


def md5_of(path: Path) -> str:
    """MD5 of a file's bytes, as dvc.lock and DVC's cache name it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
