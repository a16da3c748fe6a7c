"""Encoding a knowledge base's parts as jobs of their own: one at a time, and several at once.

Jobs share nothing but the disk, as on the machines of a cluster; each has one thread. The steps
before them, which one job makes, are timed too: with them the table says how much faster a whole
run gets with more jobs at once (Amdahl's law). Needs idle cores.
"""

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.kb_memory import encoding, measured, prepare, steps

BEFORE = ("read", "link")
MORE = (8, 100)  # jobs at once to project


def encoded(model: Path, folder: Path, parts: int, at_once: int) -> float:
    """Wall seconds of encoding all parts, so many at once."""
    started = time.perf_counter()
    with ThreadPoolExecutor(at_once) as jobs:
        commands = [encoding(model, folder, 1, part, f"by-{at_once}") for part in range(parts)]
        list(jobs.map(lambda command: measured(*command), commands))
    return time.perf_counter() - started


def main() -> None:
    """Print what was measured, and what follows for more jobs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parts", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="a model directory")
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--part-megabytes", type=int, default=4)
    parser.add_argument("--at-once", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(args.entities, folder, 1)
        before = sum(measured(*one)[0] for one in steps(folder, 1, args.part_megabytes).values())
        parts = len(list((folder / "kb").glob("part-*.json")))
        alone = encoded(args.model, folder, parts, 1)
        together = encoded(args.model, folder, parts, args.at_once)
    print(f"{args.entities} entities in {parts} parts; the steps before: {before:.1f} s")
    print(f"encoding, 1 job at a time: {alone:.1f} s")
    print(f"encoding, {args.at_once} jobs: {together:.1f} s, ratio {alone / together:.2f}")
    for jobs in MORE:
        whole = (before + alone) / (before + alone / jobs)
        print(f"projected, {jobs} jobs: the whole run {whole:.1f} times as fast")


if __name__ == "__main__":
    main()
