"""The machine's processor as Linux describes it; other systems only tell its kind."""

import platform
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def name() -> str:
    """The processor's name where the system knows it, else its kind."""
    return _first("model name") or platform.processor() or platform.machine()


def vendor() -> str:
    """``AuthenticAMD``, ``GenuineIntel`` and so on; empty where it is not listed."""
    return _first("vendor_id")


def flags() -> set[str]:
    """Features of the processor (such as instruction sets) by Linux's names."""
    return set(f"{_first('flags')} {_first('Features')}".split())


def values(path: Path, name: str) -> list[str]:
    """Values of a property in a file of lines ``name: value``; none if the file is missing."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    parts = [line.partition(":") for line in lines]
    return [value.strip() for key, _, value in parts if key.strip() == name]


def _first(name: str) -> str:
    """The value for the first processor; empty if it is not listed."""
    return next(iter(values(CPUINFO, name)), "")
