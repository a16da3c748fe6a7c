"""What made a row: the code's commit and its changes, the installed packages, hashes of files."""

import hashlib
import platform
import re
import subprocess
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from muver.version import __version__

DIFF_LIMIT = 200_000  # characters of a diff that are kept
WRITTEN = (":!metrics", ":!dvc.lock")  # in git and written by runs: no change of the code


def code_version(folder: Path = Path(".")) -> dict[str, str]:
    """Tags that name the code: muver's version and, if ``folder`` is a git checkout, the commit."""
    tags = {"muver_version": __version__}
    commit = git(folder, "rev-parse", "HEAD")
    if commit:
        changed = git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".", *WRITTEN)
        dirty = "true" if changed else "false"
        # MLflow has names of its own, which its pages show in the column "Version".
        for prefix in ("git_", "mlflow.source.git."):
            tags |= {f"{prefix}commit": commit, f"{prefix}dirty": dirty}
    return tags


@cache
def packages() -> str:
    """The installed packages as pip freezes them; of two, that which Python would import."""
    versions = {}
    for one in distributions():
        if name := one.metadata["Name"]:  # the remains of a broken installation have none
            versions.setdefault(re.sub(r"[-_.]+", "-", name).lower(), one.version)
    head = f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return "\n".join([head, *(f"{name}=={versions[name]}" for name in sorted(versions)), ""])


def environment(folder: Path = Path(".")) -> dict[str, str]:
    """Texts by file name: the installed packages, and changes of a checkout that no commit has."""
    texts = {"environment/requirements.txt": packages()}
    diff = git(folder, "diff", "HEAD", "--no-color", "--no-ext-diff", "--", ".", *WRITTEN)
    if diff:
        if (left_out := len(diff) - DIFF_LIMIT) > 0:
            diff = f"{diff[:DIFF_LIMIT]}\n... {left_out} characters more, left out"
        texts["environment/changes.diff"] = f"{diff}\n"
    return texts


def md5_of(path: Path) -> str:
    """MD5 of a file's bytes: the name that dvc.lock and DVC's cache have for it."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def git(folder: Path, *arguments: str) -> str | None:
    """What git prints; None without git or outside a checkout."""
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip()
