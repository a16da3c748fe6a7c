"""What a run was made by: the kind of machine, versions and the commit; no names, no places."""

import importlib.metadata
import os
import platform
from pathlib import Path

from muver.tracking.provenance import code_version

PACKAGES = (
    "torch", "transformers", "tokenizers", "numpy", "pyarrow", "scipy", "bm25s", "nltk",
    "faiss-cpu", "faiss-gpu", "snakemake", "dvc", "mlflow",
)  # fmt: skip
# Flags of /proc/cpuinfo that decide how fast, and in which order, it adds up; the widest first.
INSTRUCTIONS = {
    "amx_bf16": "AMX (bf16)",
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "avx": "AVX",
    "asimd": "NEON",
}
CPUINFO = Path("/proc/cpuinfo")


def machine() -> dict[str, str]:
    """Kind of machine, by name of the property, without importing anything heavy."""
    import psutil

    memory = psutil.virtual_memory().total / 2**30
    return {
        "System": f"{platform.system()}, {platform.machine()}",
        "Processor": processor(),
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
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit(project: Path = Path(".")) -> dict[str, str]:
    """The ``hash`` of a project's last commit and whether files were ``changed`` since.

    Empty where there is no git.
    """
    tags = code_version(project)
    if "git_commit" not in tags:
        return {}
    changed = ", with changes that are not committed" if tags.get("git_dirty") == "true" else ""
    return {"hash": tags["git_commit"], "changed": changed}


def processor(cpuinfo: Path = CPUINFO) -> str:
    """The name of the processor where the system knows it, else its kind."""
    names = _values(cpuinfo, "model name")
    return names[0] if names else platform.processor() or platform.machine()


def instruction_set(cpuinfo: Path = CPUINFO) -> str:
    """The vector instructions that the processor has, the widest first."""
    flags = set(" ".join(_values(cpuinfo, "flags", "Features")).split())
    return ", ".join(text for flag, text in INSTRUCTIONS.items() if flag in flags) or "not known"


def gpus(folder: Path = Path("/proc/driver/nvidia/gpus")) -> list[str]:
    """Names of the NVIDIA GPUs, as the driver says them."""
    return [
        name for path in sorted(folder.glob("*/information")) for name in _values(path, "Model")
    ]


def _values(path: Path, *names: str) -> list[str]:
    """Values of some properties in a file of lines ``name: value``; none without the file."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    parts = [line.partition(":") for line in lines]
    return [value.strip() for name, _, value in parts if name.strip() in names]
