"""What a run was made by: the kind of machine, versions and the commit; no names, no places."""

import contextlib
import importlib.metadata
import os
import platform
from pathlib import Path

from muver.io import processor
from muver.reproduction.tracking.provenance import code_version, git

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


def versions() -> dict[str, str]:
    """Versions of Python, of this package and of those that decide numbers."""
    from muver.version import __version__

    found = {"muver": __version__, "Python": platform.python_version()}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def commit(project: Path = Path(".")) -> dict[str, str]:
    """The ``hash`` of a project's last commit and whether what makes numbers ``changed`` since.

    Empty where there is no git.
    """
    tags = code_version(project)
    if "git_commit" not in tags:
        return {}
    changed = ", with changes that are not committed" if changed_since_commit(project) else ""
    return {"hash": tags["git_commit"], "changed": changed}


def changed_since_commit(project: Path) -> list[str]:
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
