"""Measures the start-up time of commands: medians of several calls."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "muver --help": [str(BIN / "muver"), "--help"],
    "muver --version": [str(BIN / "muver"), "--version"],
    "muver query --help": [str(BIN / "muver"), "query", "--help"],
    "muver stage train --help": [str(BIN / "muver"), "stage", "train", "--help"],
    "snakemake -n": [str(BIN / "snakemake"), "-n"],
}


def median_seconds(command: list[str], calls: int = 5) -> float:
    """Median wall time of a command, after one call to warm up."""
    times = []
    for _ in range(calls + 1):
        started = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times[1:])


def main() -> None:
    """Time each command and print it beside a bare interpreter's start."""
    bare = None
    for name, command in COMMANDS.items():
        seconds = median_seconds(command)
        bare = bare or seconds
        print(f"{name:24} {seconds:6.2f} s   {seconds / bare:5.1f} x a bare interpreter")


if __name__ == "__main__":
    main()
