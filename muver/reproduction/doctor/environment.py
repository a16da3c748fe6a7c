"""Whether the installed libraries are those of the lock files."""

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from muver.reproduction.doctor.inputs import NOTE, OK, PROBLEM, Finding

SHOWN = 5  # of the packages that differ
LOCKS = ("base", "torch", "faiss-cpu", "faiss-gpu")  # all of base is needed, of the others a part


def installed_version(name: str) -> str | None:
    """The version of an installed distribution; None without it."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def pins(lock: Path) -> dict[str, str]:
    """Versions that a lock file asks for on this machine."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    pinned = [Requirement(line.rstrip(" \\")) for line in lines if line[:1].isalnum()]
    return {
        own.name.lower(): str(own.specifier).removeprefix("==")
        for own in pinned
        if own.marker is None or own.marker.evaluate()
    }


def locked(folder: Path, installed: Callable[[str], str | None] = installed_version) -> Finding:
    """Whether the installed versions are those of the lock files in requirements/."""
    if not (folder / "base.lock").is_file():
        return Finding("versions", NOTE, f"{folder}/base.lock: no such file, nothing to compare.")
    missing, other, count = [], [], 0
    for lock in LOCKS:
        file = folder / f"{lock}.lock"
        for name, wanted in pins(file).items() if file.is_file() else ():
            have = installed(name)
            if have is None:
                missing += [name] if lock == "base" or name == "torch" else []
            else:
                count += 1
                same = have.partition("+")[0] == wanted.partition("+")[0]
                other += [] if same else [f"{name} {have} (locked: {wanted})"]
    if missing:
        says = f"not installed: {', '.join(missing[:SHOWN])}. Run make setup."
        return Finding("versions", PROBLEM, says)
    if other:
        says = f"{len(other)} other than locked, which can move digits: {', '.join(other[:SHOWN])}"
        return Finding("versions", NOTE, f"{says}. Run make setup.")
    return Finding("versions", OK, f"{count} packages, as locked")
