"""Measures wall time and peak memory of the main job in a fresh copy of the committed tree."""

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[1]


class PeakMemory(threading.Thread):
    """Samples the resident memory of a process and all its children, twice a second."""

    def __init__(self, pid: int):
        super().__init__(daemon=True)
        self.process, self.peak = psutil.Process(pid), 0

    def run(self) -> None:
        while self.process.is_running():
            total = 0
            try:
                for one in (self.process, *self.process.children(recursive=True)):
                    total += one.memory_info().rss
            except psutil.NoSuchProcess:  # a process has just ended
                total = 0
            self.peak = max(self.peak, total)
            time.sleep(0.5)


def main() -> None:
    """Clone, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", nargs="+", default=[], help="passed on to snakemake")
    parser.add_argument("--keep", type=Path, help="run in this new folder and keep it")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary) / "copy"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(folder)], check=True)
        command = [str(Path(sys.executable).parent / "snakemake"), "--cores", "all"]
        command += ["results/table1.csv", *(["--config", *args.config] if args.config else [])]
        started = time.monotonic()
        running = subprocess.Popen(command, cwd=folder)
        memory = PeakMemory(running.pid)
        memory.start()
        code = running.wait()
        took = time.monotonic() - started
        print((folder / "results/table1.md").read_text() if code == 0 else f"failed: {code}")
        print(f"wall {took / 60:.2f} min, peak memory {memory.peak / 2**30:.2f} GiB")


if __name__ == "__main__":
    main()
