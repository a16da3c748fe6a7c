"""Prints results, and writes docs/performance.md from all stored runs."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.reaches import judged
from benchmarks.records import FIGURES, ROOT, Run, read_runs
from benchmarks.rows import HEAD, Findings, Row, number, span
from muver.io.files import write_text

PAGE = ROOT / "docs" / "performance.md"

INTRODUCTION = """\
# Performance

`python -m benchmarks` adds a run to `benchmarks/figures/` and writes this page from all of them.
The baseline works as the released code does: one entity at a time, rows padded to 40 tokens,
attentions of all layers computed, every setting of merging from scratch; for each mention a softmax
over all views of the world, a full sort and a walk in Python. Both sides have the same weights,
data, threads and device and run in turn; figures are medians. A ratio is the median over the pairs
that ran in turn, with the least and the greatest in brackets. Runs up to edbab83 kept no pairs;
their ratios are those of the medians.

All runs of a machine stay, each with the reaches of its day. Every verdict is computed from the
figures beside it. A machine's first table judges all its runs by the reaches of now: what is met
there, every run met. A run is named by its start and the commit checked out then; up to edbab83, by
the commit that stored it and that one's time.

What a row measures is said in its remark, and changed for two of them. A training step was forward
and backward only with AVX2; in 3873a64 and bc7142d its baseline shared our process, and so the
memory that ours keeps. Gradient caching had passes of 4,096 tokens in d558a5a, and of 1,024 since.

Shares of the peak are of the best matrix product measured in the same run. They count the
operations that real tokens need: no padding, and of the last layer only the vector of `[CLS]`. The
ratio divided by the share of the peak beside it is the most that this machine could give; where
that is below the reach, no code reaches it here. Reaches in bf16 are meant for processors with
AMX, whose products in bf16 are many times as fast as in fp32.

A shared machine's speed changes within a run. With AVX-512 and two threads, merging in fp32 was
1.94, 2.14 and 2.48 times as fast as the baseline in three runs, in which the baseline made 58, 51
and 42 views a second, and the file of the second is not kept; two runs end to end gave 6.8 and
7.95.

Measured independently at edbab83, alone on the machine (the run's file is not kept): the baseline
merges 57.4 views a second, and ours is 1.95 times as fast in fp32 and 2.93 in bf16. Encoding is
2.04 and 3.24 times as fast, the training step 2.93 and 5.30, the sweep 6.99 and 10.6.

There is a new reach since 2026-11-23, later than edbab83: merging in fp32 is to run at 80% of the
peak, where it was to run at 60% and 3 times as fast as the baseline. Measured independently, it ran
at 73%; all of the peak would have given 1.95 / 0.73 = 2.67 times, so 3 is past the limit.

Distant and close merging encode some equal runs of sentences. Each row encodes its own, so that its
last digits do not depend on the rows made before it.

## What lower precisions change

`compute.precision` for the 909 validation mentions of one world (OpenTTD's manual, 911 entities,
23,326 views) by MuVER with all-MiniLM-L6-v2 and no merged views, on an AMD EPYC with AVX-512, bf16
and VNNI, one thread beside other work (`muver stage encode`, `muver stage retrieve`; recall
counted from the run files, and the rest by `muver agree`, a command up to commit 3de079f):

| | fp32 | bf16 | int8 |
| --- | --: | --: | --: |
| processor time of encoding, s | 219 | 125 | 139 |
| recall@1 | 66.12 | 65.90 | 66.45 |
| recall@16 | 94.28 | 94.17 | 94.06 |
| recall@64 | 97.58 | 97.69 | 97.58 |
| the same first entity as in fp32, % | | 99.45 | 96.59 |
| candidates in common, of 64, % | | 99.52 | 95.84 |
"""


def print_rows(findings: Findings) -> None:
    """Print rows as lines, then the comparisons."""
    for row in findings.rows:
        phase, what, baseline, ours, ratio, reach, verdict, remark = row.cells()
        sides = f"{baseline or '-':>24} {ours or '-':>24} {ratio or '-':>8}"
        print(f"{phase:16} {what:58} {sides}  {f'{reach} {verdict}'.strip()}", flush=True)
        if remark:
            print(textwrap.indent(remark, " " * 19), flush=True)
    for line in findings.agreements:
        print(f"  same: {line}", flush=True)
    for line in findings.differences:
        print(f"  DIFFERENT: {line}", flush=True)


def write_page(folder: Path = FIGURES, page: Path = PAGE) -> None:
    """Write the page from all runs."""
    write_text(page, render(folder))


def render(folder: Path = FIGURES) -> str:
    """The page, one section per machine."""
    return "\n".join([INTRODUCTION, *(_section(*one) for one in read_runs(folder).items())])


def _section(machine: str, runs: list[Run]) -> str:
    heads = ["Phase", "What", *(run.name for run in runs), "Range", "Reach now", ""]
    lines = [f"## {machine}", "", *_table(heads, _over_runs(runs)), "", *map(_whole, runs)]
    return "\n".join(lines)


def _over_runs(runs: list[Run]) -> list[list[str]]:
    """What the runs compare, row by row: each one's ratio, their range, the reach and verdict."""
    compared: dict[tuple[str, str], dict[int, Row]] = {}
    for place, run in reversed([*enumerate(runs)]):  # in the order of the newest
        for stored in run.rows:
            row = judged(replace(stored, what=_what(stored)))
            if row.baseline is not None or row.reach is not None:
                compared.setdefault((row.phase, row.what), {})[place] = row
    return [[*names, *_judgement(rows, len(runs))] for names, rows in compared.items()]


def _judgement(rows: dict[int, Row], runs: int) -> list[str]:
    """The ratio of each run that has the row, their range, the reach, and who missed it."""
    ratios = [number(rows[run].ratio) if run in rows else "" for run in range(runs)]
    verdicts = [row.verdict for row in rows.values()]
    missed = verdicts.count("missed")
    verdict = f"missed by {missed} of {len(rows)}" if missed else verdicts[0]
    across = span([row.ratio for row in rows.values()])
    return [*ratios, across, next(iter(rows.values())).bound, verdict]


def _what(row: Row) -> str:
    """Its name now: what runs before fa3a256 measured in fp32 alone did not say so."""
    return re.sub(r"(^of it(?=:)|distant and close$|after training$)", r"\1, fp32", row.what)


def _whole(run: Run) -> str:
    """All figures of a run, folded."""
    about = ", ".join(f"{name} {value}" for name, value in run.machine.items() if name != "device")
    lines = [
        f"<details><summary>{run.name}: all figures, by the reaches of that day</summary>",
        "",
        f"{about}. Data: {run.data}. `{run.command}`",
        "",
        *_table(HEAD, [row.cells() for row in run.rows]),
        "",
        "Compared in this run:",
        "",
        *(f"- {line}" for line in run.agreements),
        *(f"- **different**: {line}" for line in run.differences),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"


def _table(heads: Sequence[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    return [lines[0], "|" + " --- |" * len(heads), *lines[1:]]
