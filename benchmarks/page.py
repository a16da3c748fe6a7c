"""Prints results, and writes docs/performance.md from all stored runs."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.reaches import judged
from benchmarks.records import FIGURES, ROOT, Run, read_runs
from benchmarks.rows import Findings, Row, number
from muver.io.files import write_text

PAGE = ROOT / "docs" / "performance.md"

INTRODUCTION = """\
# Performance

This page is written by `python -m benchmarks` from the runs in `benchmarks/figures/`, where all of
their figures lie: both sides, ratios of single pairs, remarks, and how far the two sides agree.

The baseline works as the released code does. It encodes one entity at a time, pads rows to 40
tokens, computes the attentions of all layers, and makes every setting of merging from scratch. For
each mention it takes a softmax over all views of the world, sorts them all, and walks down the
order in Python. Both sides have the same weights, data, threads and device, and run in turn. A
figure is how many times as fast ours is, the median over the pairs, unless its name says otherwise.

- **All runs of a machine stay.** A verdict judges all of them by the reach of now: what is met,
  every run met. A run is named by its start and by the commit that was checked out, up to edbab83
  by the commit that stored it.
- **A share of the peak** is of the best matrix product of the same run. It counts the operations
  that real tokens need. The ratio divided by this share is the most that the machine could give.
  Where that is below the reach, no code reaches it there.
- **Reaches in bf16** are meant for processors with AMX, on which no run is kept.
- **A shared machine's speed changes within a run**, and all of these machines were shared.
- **What two rows measure has changed.** With AVX2 a training step was forward and backward alone.
  In 3873a64 and bc7142d its baseline shared our process, and so the memory that ours keeps.
  Gradient caching had longer passes in d558a5a.
- **The reach of merging** was changed after edbab83, from a ratio to a share of the peak, as a
  measurement had shown that the machine could not give the ratio.

## What bf16 changes

909 validation mentions of one world by MuVER with all-MiniLM-L6-v2, without merged views, on an AMD
EPYC with AVX-512 for bf16, one thread beside other work. The last two lines were counted by a
command of commit 3de079f.

| | fp32 | bf16 |
| --- | --: | --: |
| processor time of encoding, s | 219 | 125 |
| recall@1 | 66.12 | 65.90 |
| recall@16 | 94.28 | 94.17 |
| recall@64 | 97.58 | 97.69 |
| the same first entity as in fp32, % | | 99.45 |
| candidates in common, of 64, % | | 99.52 |
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
    heads = ["Phase", "What", *(run.name for run in runs), "Reach now", ""]
    apart = [f"- **different**: {line}" for run in runs for line in run.differences]
    parts = [f"## {machine}", f"    {runs[-1].command}", "\n".join(_table(heads, _over_runs(runs)))]
    return "\n\n".join([*parts, *(["\n".join(apart)] if apart else [])]) + "\n"


def _over_runs(runs: list[Run]) -> list[list[str]]:
    """What has a reach, row by row: each run's ratio, the reach and verdict."""
    compared: dict[tuple[str, str], dict[int, Row]] = {}
    for place, run in reversed([*enumerate(runs)]):  # in the order of the newest
        for stored in run.rows:
            row = judged(replace(stored, what=_what(stored)))
            if row.reach is not None:
                compared.setdefault((row.phase, row.what), {})[place] = row
    return [[*names, *_judgement(rows, len(runs))] for names, rows in compared.items()]


def _judgement(rows: dict[int, Row], runs: int) -> list[str]:
    """The ratio of each run that has the row, the reach, and who missed it."""
    ratios = [number(rows[run].ratio) if run in rows else "" for run in range(runs)]
    verdicts = [row.verdict for row in rows.values()]
    missed = verdicts.count("missed")
    verdict = f"missed by {missed} of {len(rows)}" if missed else verdicts[0]
    return [*ratios, next(iter(rows.values())).bound, verdict]


def _what(row: Row) -> str:
    """Its name now: what runs before fa3a256 measured in fp32 alone did not say so."""
    return re.sub(r"(^of it(?=:)|distant and close$|after training$)", r"\1, fp32", row.what)


def _table(heads: Sequence[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    return [lines[0], "|" + " --- |" * len(heads), *lines[1:]]
