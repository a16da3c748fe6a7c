"""The same work again and again in one process: memory, threads and open files stay flat.

The stages of the tiny project that train, encode, rank and evaluate run over and over. A round
holds if after it the process has at most a tenth more memory than after the third round, and no
more threads or open files.
"""

import contextlib
from collections.abc import Iterator

import psutil

from campaign.plan import Case, Plan
from campaign.project import UNTRACKED, commands, made
from campaign.service import grown, size
from muver import cli

STAGES = ("train", "encode", "retrieve", "evaluate")
SETTLED = 3  # rounds after which everything is loaded


def attack(plan: Plan) -> Iterator[Case]:
    """Rounds of four stages."""
    project = made(plan.folder / "project")
    project.snakemake(*UNTRACKED)
    calls = [words[1:] for words in commands(project, *UNTRACKED) if words[2] in STAGES]
    process, settled, kept = psutil.Process(), {}, []
    turns = plan.turns() if not plan.fault else enumerate(range(SETTLED + 2))
    with contextlib.chdir(project.folder), contextlib.ExitStack() as files:
        for number, _ in turns:
            for words in calls:
                assert cli.main(words) == 0
            if number >= SETTLED and plan.fault:  # the fault: what is never given back
                kept.append(bytearray(1 << 30))
                for _ in range(3):
                    files.enter_context(open(project.folder / "params.yaml"))
            now = size(process)
            if number < SETTLED:
                settled = now
            else:
                yield Case("rounds of four stages", f"round {number}", grown(settled, now))
