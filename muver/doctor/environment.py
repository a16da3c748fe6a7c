"""Is this Python the one that the lock files describe, and can it import what a run needs?"""

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from muver.doctor.finding import NOTE, OK, PROBLEM, Finding

OLDEST = (3, 11)
LOCKS = ("base", "torch", "faiss-cpu", "faiss-gpu")  # all of base is needed, of the others a part
NEEDED = (
    "accelerate", "bm25s", "dvc", "jsonschema", "matplotlib", "mlflow", "nltk", "numpy", "psutil",
    "pyarrow", "requests", "safetensors", "scipy", "snakemake", "tokenizers", "torch",
    "transformers", "yaml",
)  # fmt: skip
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)\s*(?:;\s*(.*?))?\s*\\?$")
Installed = Callable[[str], str | None]


def python_version(version: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    """Whether Python is new enough."""
    text = ".".join(map(str, version))
    if tuple(version[:2]) < OLDEST:
        return Finding("python", PROBLEM, f"Python {text}, 3.11 or later is needed: make setup.")
    return Finding("python", OK, f"Python {text}")


def installed_version(name: str) -> str | None:
    """The version of an installed distribution; None without it."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def pins(lock: Path) -> dict[str, str]:
    """Versions that a lock file asks for on this machine."""
    from packaging.markers import Marker

    found = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        match = PIN.match(line)
        if match and (not match[3] or Marker(match[3]).evaluate()):
            found[match[1].lower()] = match[2]
    return found


def locked(folder: Path, installed: Installed = installed_version) -> Finding:
    """Whether the installed versions are those of the lock files in requirements/."""
    files = [folder / f"{name}.lock" for name in LOCKS]
    if not files[0].is_file():
        return Finding("versions", NOTE, f"{files[0]}: no such file, so versions are not checked.")
    missing, other, count = [], [], 0
    for file in files:
        for name, wanted in pins(file).items() if file.is_file() else ():
            have = installed(name)
            if have is None:
                if file == files[0] or name == "torch":
                    missing.append(name)
                continue
            count += 1
            if have.partition("+")[0] != wanted.partition("+")[0]:
                other.append(f"{name} {have} (locked: {wanted})")
    if missing:
        return Finding("versions", PROBLEM, f"not installed: {_some(missing)}. Run make setup.")
    if other:
        says = f"other versions than locked, which can move digits: {_some(other)}. Run make setup."
        return Finding("versions", NOTE, says)
    return Finding("versions", OK, f"{count} packages, as locked")


def importable(names: Sequence[str] = NEEDED) -> Finding:
    """Whether the libraries can be imported; in a process of its own, which takes seconds."""
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        importlib.import_module(name)\n"
        "    except BaseException as error:\n"
        "        print(f'{name}: {type(error).__name__}: {error}'.splitlines()[0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *names], capture_output=True, text=True, check=False
    )
    failed = done.stdout.splitlines()
    if done.returncode != 0:
        failed.append(f"python ended with status {done.returncode}")
    if failed:
        return Finding("imports", PROBLEM, f"cannot be imported: {_some(failed)}. Run make setup.")
    return Finding("imports", OK, f"{len(names)} libraries can be imported")


def _some(items: Sequence[str], most: int = 5) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return f"{', '.join(items[:most])}{more}"
