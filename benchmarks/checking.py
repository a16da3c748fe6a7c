"""What comparing SHA-256 costs, as a share of the processor time of a finished run of the workflow.

Every job's look at what it is given is taken again, as by a process of its own, and everything that
was written is hashed once, as it was when it was written. Snakemake noted the time of the jobs.
"""

import argparse
import csv
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from muver import cli
from muver.io import checksums
from muver.options import parser_of, read_job

JOBS = ["-n", "-p", "--forceall", "--quiet", "host"]


def seconds(work: Callable[[], object]) -> float:
    """Of the processor, for some work."""
    started = time.process_time()
    work()
    return time.process_time() - started


def look(words: list[str]) -> float:
    """Seconds of comparing what a job is given, as `muver` does when it is called."""
    checksums._digest.cache_clear()
    command = cli.COMMANDS[" ".join(words[: 2 if words[0] == "stage" else 1])]
    given = read_job(command, parser_of(command), words[len(command.name.split()) :])
    paths = list(cli._paths(given.values()))
    return seconds(lambda: checksums.check(paths))


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.checking", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path(), help="a project that has run")
    os.chdir(parser.parse_args().folder)
    snakemake = [str(Path(sys.executable).parent / "snakemake"), *JOBS]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    said = subprocess.run(
        snakemake, env=environment, check=True, text=True, stdout=subprocess.PIPE
    ).stdout
    calls = [line.partition(": muver ")[2].partition(" && ")[0] for line in said.splitlines()
             if line.startswith("Shell command: muver ")]  # fmt: skip
    given = sum(look(shlex.split(call)) for call in calls)
    checksums._digest.cache_clear()
    lists = [one for top in ("build", "results") for one in Path(top).rglob("*.sha256")]
    written = seconds(lambda: [list(checksums.damaged(one)) for one in lists])
    noted = [row for path in Path("logs").rglob("*.benchmark.tsv")
             for row in csv.DictReader(path.read_text().splitlines(), delimiter="\t")]  # fmt: skip
    run = sum(float(row["cpu_time"]) for row in noted)
    print(f"{len(noted)} jobs took {run:.0f} s of the processor")
    print(f"{len(calls)} looks at what is given: {given:.2f} s, {given / run:.2%}")
    print(f"{len(lists)} lists of what is written: {written:.2f} s, {written / run:.2%}")


if __name__ == "__main__":
    main()
