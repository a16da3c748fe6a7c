"""What made a row: the code's commit and its changes, installed packages, and the kind of machine.

There are no names and no places of the machine in it.
"""

import hashlib
import os
import platform
import re
import subprocess
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

from muver import __version__
from muver.io import processor
from muver.io.errors import InputError

WRITTEN = (":!metrics", ":!dvc.lock")  # in git and written by runs: no change of the code
PACKAGES = (
    "torch", "transformers", "tokenizers", "numpy", "pyarrow", "scipy", "bm25s", "nltk",
    "faiss-cpu", "faiss-gpu", "snakemake", "dvc", "mlflow",
)  # fmt: skip
MAKERS = ("muver", "workflow", "params.yaml")  # what decides numbers
# Flags of /proc/cpuinfo that decide how fast, and in which order, it adds up; the widest first.
INSTRUCTIONS = {
    "amx_bf16": "AMX (bf16)",
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "avx": "AVX",
    "asimd": "NEON",
}


def code_version(folder: Path = Path(".")) -> dict[str, str]:
    """Tags that name the code: muver's version and, if ``folder`` is a git checkout, the commit."""
    tags = {"muver_version": __version__}
    if commit := git(folder, "rev-parse", "HEAD"):
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
    for distribution in distributions():
        metadata = distribution.metadata  # read anew each time
        if name := metadata["Name"]:  # the remains of a broken installation have none
            versions.setdefault(re.sub(r"[-_.]+", "-", name).lower(), metadata["Version"])
    head = f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return "\n".join([head, *(f"{name}=={versions[name]}" for name in sorted(versions)), ""])


def environment(folder: Path = Path(".")) -> dict[str, str]:
    """Texts by file name: the installed packages, and changes of a checkout that no commit has."""
    texts = {"environment/requirements.txt": packages()}
    if diff := git(folder, "diff", "HEAD", "--no-color", "--no-ext-diff", "--", ".", *WRITTEN):
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


def machine() -> dict[str, str]:
    """Kind of machine, by name of the property, without importing anything heavy."""
    import psutil

    memory = psutil.virtual_memory().total / 2**30
    return {
        "System": f"{platform.system()}, {platform.machine()}",
        "Processor": processor.name(),
        "Cores": str(os.cpu_count()),
        "Memory": f"{memory:.0f} GiB",
        "GPU": ", ".join(gpus()) or "none",
        "Instruction set": instruction_set(),
    }


def this_machine() -> str:
    """Processor, GPU, instructions and torch in a line: they can move a number's last bits."""
    kind = machine()
    parts = [kind["Processor"], f"{kind['Cores']} cores", kind["GPU"], kind["Instruction set"]]
    return ", ".join(part for part in parts if part != "none") + f", torch {version('torch')}"


def versions() -> dict[str, str]:
    """Versions of Python, of this package and of those that decide numbers."""
    known = {"muver": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            known[name] = version(name)
    return known


def commit(project: Path = Path(".")) -> tuple[str, str]:
    """The hash of a project's last commit, and whether what makes numbers was changed since.

    Both are empty where there is no git.
    """
    head = git(project, "rev-parse", "HEAD") or ""
    return head, ", with changes that are not committed" if _changed(project) else ""


def refuse_changes(project: Path) -> None:
    """Refuse to write numbers beside a commit that did not make them."""
    if changed := _changed(project):
        raise InputError(
            f"{changed[0]}: not as in the last commit, which the page names as what made its "
            "numbers. Commit, make the results and then the page; or give --uncommitted (make: "
            "ARGS=--uncommitted), and the page says so."
        )


def _changed(project: Path) -> list[str]:
    """Files of the code, the workflow and the settings that are not as in the last commit."""
    return (git(project, "diff", "--name-only", "HEAD", "--", *MAKERS) or "").splitlines()


def instruction_set() -> str:
    """The vector instructions that the processor has, the widest first."""
    flags = processor.flags()
    return ", ".join(text for flag, text in INSTRUCTIONS.items() if flag in flags) or "not known"


def gpus(folder: Path = Path("/proc/driver/nvidia/gpus")) -> list[str]:
    """Names of the NVIDIA GPUs, as the driver says them."""
    files = sorted(folder.glob("*/information"))
    return [name for path in files for name in processor.values(path, "Model")]
