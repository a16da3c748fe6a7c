"""Where a row came from: the code's commit, and the hash by which DVC knows the run file."""

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path

from muver.version import __version__


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
        tags["git_dirty"] = tags["mlflow.source.git.dirty"] = "true" if changed else "false"
    return tags


def uncommitted(folder: Path = Path(".")) -> str:
    """What differs from the last commit, as a patch; empty without git or without changes."""
    changed = _git(folder, "diff", "HEAD", "--no-color", "--no-ext-diff", "--", ".")
    return f"{changed}\n" if changed else ""


def file_hash(path: Path, folder: Path = Path(".")) -> dict[str, str]:
    """The tag that names a file in DVC; none where there is no ``dvc.lock``."""
    return {"dvc_md5": md5_of(path)} if (folder / "dvc.lock").exists() else {}


def file_hashes(
    files: Path | Mapping[str, Path] | None, folder: Path = Path(".")
) -> dict[str, str]:
    """As :func:`file_hash`, of one file or none, or of several, by the tags ``dvc_md5_<name>``."""
    if files is None:
        return {}
    if isinstance(files, Path):
        return file_hash(files, folder)
    return {
        f"{tag}_{name}": value
        for name, path in files.items()
        for tag, value in file_hash(path, folder).items()
    }


def md5_of(path: Path) -> str:
    """MD5 of a file's bytes, as dvc.lock and DVC's cache name it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            check=True,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
