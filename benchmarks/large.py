"""Measures ranking of 10,000 mentions among 1 million views: time and peak memory."""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

from benchmarks.options import Options
from benchmarks.rows import Findings, Row

VIEWS, MENTIONS = 1_000_000, 10_000


def run(options: Options, dimension: int) -> Findings:
    """Both aggregates, one after the other."""
    findings = Findings()
    for aggregate in ("max", "softmax_sum"):
        command = [sys.executable, "-m", "benchmarks.large", aggregate, str(dimension)]
        done = subprocess.run(
            [*command, str(options.threads)], check=True, capture_output=True, text=True
        )
        measured = json.loads(done.stdout)
        findings.rows.append(
            Row(
                "large world",
                f"{aggregate}, {VIEWS:,} views x {MENTIONS:,} mentions",
                "mentions/s",
                None,
                MENTIONS / measured["seconds"],
                measured["gigabytes"],
                remark=f"ratio: peak memory in GB, of which {measured['vectors']:.1f} are the "
                f"vectors; {measured['seconds']:.0f} s",
            )
        )
    return findings


def main() -> None:
    """Rank once and print seconds and memory as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("aggregate", choices=("max", "softmax_sum"))
    parser.add_argument("dimension", type=int)
    parser.add_argument("threads", type=int)
    parser.add_argument("--views", type=int, default=VIEWS)
    parser.add_argument("--mentions", type=int, default=MENTIONS)
    args = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(args.threads)
    import torch

    from benchmarks.ours import rank_world
    from benchmarks.ranking import made_world

    torch.set_num_threads(args.threads)
    world = made_world(args.views, args.mentions, args.dimension)
    started = time.perf_counter()
    rank_world(world.mentions, world.views, world.owners, world.titles, args.aggregate)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps({"seconds": seconds, "gigabytes": peak, "vectors": world.views.nbytes / 1e9}))


if __name__ == "__main__":
    main()
