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
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)


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


def environment(folder: Path = Path(".")) -> dict[str, str]:
    """Texts by file name: the installed packages, and changes of the code that are in no commit.

    Parameters
    ----------
    folder
        The project's, with ``requirements/*.lock``; changes are kept if it is a git checkout.
    """
    texts = {"environment/requirements.txt": _requirements(folder)}
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


def _requirements(folder: Path) -> str:
    """Every package with its version, and the lock's version where it is another."""
    locked: dict[str, set[str]] = {}
    for lock in sorted((folder / "requirements").glob("*.lock")):
        for name, version in LOCKED.findall(lock.read_text(encoding="utf-8")):
            locked.setdefault(_normal(name), set()).add(version)
    lines = [
        f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}: the "
        "packages installed where this was recorded.",
        "# Where a line says so, requirements/*.lock names another version, or none.",
    ]
    for name, version in sorted(_installed().items()):
        remark = ""
        if locked and name not in locked:
            remark = "  # not in the lock"
        elif locked and version not in locked[name]:
            remark = f"  # the lock: {' or '.join(sorted(locked[name]))}"
        lines.append(f"{name}=={version}{remark}")
    return "\n".join(lines) + "\n"


@cache
def _installed() -> dict[str, str]:
    """The version of each package that Python would import: the first on its path."""
    versions: dict[str, str] = {}
    for distribution in distributions():
        name = distribution.metadata["Name"]
        if name:  # the remains of a broken installation have none
            versions.setdefault(_normal(name), distribution.version)
    return versions


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def git(folder: Path, *arguments: str) -> str | None:
    """What git prints; None without git or outside a checkout."""
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
