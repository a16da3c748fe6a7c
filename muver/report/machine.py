"""What kind of machine this is, and the versions of what ran: no names, no places."""

import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = (
    "torch", "transformers", "tokenizers", "numpy", "pyarrow", "scipy", "bm25s", "nltk",
    "faiss-cpu", "faiss-gpu", "snakemake", "dvc", "mlflow",
)  # fmt: skip


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


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name where the system tells it, else its kind."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()


def gpus(folder: Path = Path("/proc/driver/nvidia/gpus")) -> list[str]:
    """Names of the NVIDIA GPUs, as the driver tells them."""
    names = []
    for path in sorted(folder.glob("*/information")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "Model":
                names.append(value.strip())
    return names
