"""Which of a processor's instruction sets decide how fast, and in which order, it adds up."""

from pathlib import Path

KNOWN = {  # flags of /proc/cpuinfo, the widest first
    "amx_bf16": "AMX (bf16)",
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "avx": "AVX",
    "asimd": "NEON",
}


def instruction_set(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The vector instructions that the processor has, the widest first."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    flags: set[str] = set()
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            flags |= set(value.split())
    return ", ".join(text for flag, text in KNOWN.items() if flag in flags) or "not known"
