"""What a row was made with: the packages installed here, and changes that are in no commit."""

import platform
import re
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from muver.tracking.provenance import uncommitted

MOST = 200_000  # characters of a diff that are kept
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", re.MULTILINE)


def environment(folder: Path = Path(".")) -> dict[str, str]:
    """Files that tell the environment, by name.

    Parameters
    ----------
    folder
        The project's: with ``requirements/*.lock``, and a git checkout if there are to be changes.
    """
    return {
        "environment/requirements.txt": _requirements(folder),
        **{f"environment/{name}": text for name, text in _changes(folder).items()},
    }


def _requirements(folder: Path) -> str:
    """Every package with its version, beside the version of the lock where that is another."""
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
    """The version of each package that Python would import, the first on its path."""
    found: dict[str, str] = {}
    for distribution in distributions():
        name = distribution.metadata["Name"]
        if name:  # a folder that a broken installation left has none
            found.setdefault(_normal(name), distribution.version)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _changes(folder: Path) -> dict[str, str]:
    changed = uncommitted(folder)
    if not changed:
        return {}
    if len(changed) > MOST:
        left = len(changed) - MOST
        changed = f"{changed[:MOST]}\n... {left} characters more, left out\n"
    return {"changes.diff": changed}
