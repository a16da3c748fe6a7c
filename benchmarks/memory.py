"""Measures gradient caching: peak memory and time of a step for several batch sizes."""

import argparse
import contextlib
import json
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import psutil
import torch

from benchmarks.data import load
from benchmarks.options import Options
from benchmarks.rows import Findings, Row, spread
from benchmarks.timing import clock

CLEAR_PEAK, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
SIZES = (16, 32, 64)
CHUNK_TOKENS = 1024  # of a pass, so that even the small batch needs several


def run(options: Options) -> Findings:
    """Kept graphs against cached gradients."""
    findings = Findings()
    seconds, megabytes = np.array(
        [
            [[_in_process(options, size, cached) for cached in (False, True)] for size in SIZES]
            for _ in range(options.repetitions)
        ]
    ).transpose(3, 1, 2, 0)  # each: (sizes, kept and cached, repetitions)
    for size, (kept, cached) in zip(SIZES, seconds, strict=True):
        findings.rows.append(
            Row(
                "gradient caching",
                f"time over that of the kept graph, batch {size}",
                "s a step",
                float(np.median(kept)),
                float(np.median(cached)),
                remark=f"baseline: ours with the graph kept; chunks of {CHUNK_TOKENS} tokens",
                **spread(cached / kept),
            )
        )
    for size, (kept, cached) in zip(SIZES, megabytes, strict=True):
        findings.rows.append(
            Row(
                "gradient caching",
                f"memory over that of batch {SIZES[0]}, batch {size}",
                "MB",
                float(np.median(kept)),
                float(np.median(cached)),
                remark="a step's peak above what the process held before, gradients included",
                **spread(cached / megabytes[0, 1]),
            )
        )
    return findings


def _in_process(options: Options, size: int, cached: bool) -> list[float]:
    """Seconds and megabytes of a step."""
    with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
        pickle.dump(options, file)
        file.flush()
        command = [sys.executable, "-m", "benchmarks.memory", file.name, str(size)]
        if cached:
            command.append("--cached")
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Run a step of one batch twice; print the second's time and the peak memory as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("options", type=Path)
    parser.add_argument("size", type=int)
    parser.add_argument("--cached", action="store_true")
    args = parser.parse_args()
    options: Options = pickle.loads(args.options.read_bytes())
    torch.set_num_threads(options.threads)
    from benchmarks.training import CACHED, KEPT, Batch, Ours

    case = load(options)
    batch = Batch(case, args.size)
    ours = Ours(case, options.device, "fp32", options.threads)
    graph_tokens = CACHED if args.cached else KEPT
    if options.device == "cuda":
        torch.zeros(1, device="cuda")
    before = _start(options.device)
    for _ in range(2):
        seconds, _ = clock(lambda: ours.step(batch, CHUNK_TOKENS, graph_tokens))
    print(json.dumps([seconds, (_peak(options.device) - before) / 1e6]))


def _start(device: str) -> float:
    """Bytes held now; the peak is counted from here on."""
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.memory_allocated()
    with contextlib.suppress(OSError):  # if the peak cannot be reset, it includes loading
        CLEAR_PEAK.write_text("5")
    return psutil.Process().memory_info().rss


def _peak(device: str) -> float:
    """Peak bytes since :func:`_start`."""
    if device == "cuda":
        return torch.cuda.max_memory_allocated()
    for line in STATUS.read_text().splitlines() if STATUS.is_file() else ():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
