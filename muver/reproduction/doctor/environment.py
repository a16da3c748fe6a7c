"""Whether the installed libraries are those of the lock files."""

from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from muver.reproduction.doctor.inputs import NOTE, OK, PROBLEM, Finding

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
    files = [folder / f"{name}.lock" for name in LOCKS]
    if not files[0].is_file():
        return Finding("versions", NOTE, f"{files[0]}: no such file, so versions are not checked.")
    missing, other, count = [], [], 0
    for file in filter(Path.is_file, files):
        for name, wanted in pins(file).items():
            have = installed(name)
            if have is not None:
                count += 1
                if have.partition("+")[0] != wanted.partition("+")[0]:
                    other.append(f"{name} {have} (locked: {wanted})")
            elif file == files[0] or name == "torch":
                missing.append(name)
    if missing:
        return Finding("versions", PROBLEM, f"not installed: {_some(missing)}. Run make setup.")
    if other:
        says = f"other versions than locked, which can move digits: {_some(other)}. Run make setup."
        return Finding("versions", NOTE, says)
    return Finding("versions", OK, f"{count} packages, as locked")


def _some(items: Sequence[str], most: int = 5) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return f"{', '.join(items[:most])}{more}"
