"""Prints results, and writes docs/performance.md from all stored runs."""

import re
import statistics
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.programs import CUTOFFS, OURS
from benchmarks.reaches import judged
from benchmarks.records import FIGURES, ROOT, Run, read_runs
from benchmarks.rows import Findings, Row, span
from benchmarks.service import KINDS
from muver.io.files import read_json, write_text

PAGE = ROOT / "docs" / "performance.md"

INTRODUCTION = """\
# Performance

`python -m benchmarks` writes this page from the runs in `benchmarks/figures/`, which have all of
their figures and commands.

The baseline works as the released code does. It encodes one entity at a time, pads rows to 40
tokens, computes the attentions of all layers, and makes every setting of merging from scratch. For
each mention it takes a softmax over all views of the world and walks down their order in Python.
Both sides have the same weights, data, threads and device, and run in turn. A figure says how many
times as fast ours is, the median over the pairs, unless its name says otherwise.

- **All runs of a machine stay**, judged by the present reach. Machines were shared, and their
  speed changed within a run.
- **A share of the peak** is of the best matrix product (in older runs of the one at their start).
  It counts the operations that real tokens need. The ratio divided by this share is the most that
  the machine could give.
- **Reaches in bf16** are meant for processors with AMX. **No run on one or on a GPU is kept**; a
  GPU's hours of ZESHEL's Table 1 (`--device cuda`) have not been measured.
- **What rows measure has changed.** With AVX2 a training step was forward and backward alone. In
  two runs (3873a64, bc7142d) its baseline had the memory that ours keeps. Gradient caching had
  longer passes in d558a5a. In 7f6d639 bm25s found words by its own rule; now it gets our words.
- **The reach of merging** became a share of the peak after edbab83, whose machine could not give
  the ratio.
"""

PEERS = """\
## Beside other software

{mentions:,} mentions of {world} ({dataset}, {entities:,} entities). Nothing is trained, all
encoders are the same all-MiniLM-L6-v2, the mention's own page is left out, and ties count against
the gold. The weights of muver and of the three that are summed were chosen on worlds of which this
is one. Each program ran in turn in its own process, whose peak memory includes its libraries. In
brackets stands the ratio to muver with the encoder, the figure to quote. Seconds are {seconds}.

    {command}
"""

INDEX = """\
## An index of one's own entities

Made entities of ten sentences; where there is an encoder, a random BERT of two layers and 384
numbers. Commands are processes of their own. Commit {commit}, {machine}:

    {command}
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
    """The page: one table of what the runs of each machine reached."""
    machines = read_runs(folder)
    apart = [
        f"- **different** ({run.commit}): {line}"
        for _, run in _all(machines)
        for line in run.differences
    ]
    parts = [
        INTRODUCTION,
        "## What was reached",
        "\n".join(table(["Phase", "What", *machines, "Reach"], _reached(machines))),
        *(["\n".join(apart)] if apart else []),
        *_index(machines),
        *_peers(folder),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _index(machines: dict[str, list[Run]]) -> list[str]:
    """The newest run of :mod:`benchmarks.service`, if there is one: a column a kind of index."""
    if not (runs := [run for run in _all(machines) if any(map(_of_index, run[1].rows))]):
        return []
    machine, run = sorted(runs, key=lambda of_machine: of_machine[1].date)[-1]
    cells: dict[str, dict[str, str]] = {"entities": {}}
    for row in filter(_of_index, run.rows):  # of two sizes the second, which is the whole
        what = re.sub(r",? of \d+ entities| to \d+, beside.*", "", row.what)
        if size := re.search(r"disk of (\d+)", row.what):
            cells["entities"][row.phase] = f"{int(size[1]):,}"
        measured = f"{what}, {row.unit}".removesuffix(", ")
        cells.setdefault(measured, {})[row.phase] = _short(row.ours or 0)
    lines = [[what, *(found.get(kind, "") for kind in KINDS)] for what, found in cells.items()]
    head = INDEX.format(commit=run.commit, machine=machine, command=run.command)
    return [head, "\n".join(table(["", *KINDS], lines))]


def _of_index(row: Row) -> bool:
    return row.phase in KINDS


def _peers(folder: Path) -> list[str]:
    """The newest run of :mod:`benchmarks.peers`, if there is one."""
    if not (paths := sorted(folder.glob("peers-*.json"))):
        return []
    record = read_json(paths[-1])
    size = record["rounds"][OURS][0]
    return [
        PEERS.format(**record, **size),
        "\n".join(table(*compared(record))),
    ]


def compared(record: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Heads, and a row a program: medians, and in brackets how many times those of ``OURS``."""
    heads = ["", *(f"R@{k}" for k in CUTOFFS), "s per 1,000 entities", "mentions/s", "peak MB"]
    ours, rows = record["rounds"][OURS], []
    for program, rounds in record["rounds"].items():
        first = rounds[0]
        make, ask = (
            (
                statistics.median(turn[key] for turn in rounds),
                statistics.median(
                    turn[key] / other[key] for turn, other in zip(rounds, ours, strict=True)
                ),
            )
            for key in ("make", "ask")
        )
        rows.append([
            program,
            *(f"{share:.1f}" for share in first["recall"]),
            f"{_short(1000 * make[0] / first['entities'])} ({_short(make[1])})",
            f"{_short(first['mentions'] / ask[0])} ({_short(1 / ask[1])})",
            f"{max(turn['peak_mb'] for turn in rounds):,.0f}",
        ])  # fmt: skip
    return heads, rows


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def _all(machines: dict[str, list[Run]]) -> list[tuple[str, Run]]:
    return [(machine, run) for machine, runs in machines.items() for run in runs]


def _reached(machines: dict[str, list[Run]]) -> list[list[str]]:
    """What has a reach, row by row: by machine the range of its runs and whether they missed it."""
    compared: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for machine, run in _all(machines):
        for stored in run.rows:
            row = judged(replace(stored, what=_what(stored)))
            if row.reach is not None:
                own = compared.setdefault((row.phase, row.what), {})
                own.setdefault(machine, []).append(row)
    phases = list(dict.fromkeys(phase for phase, _ in compared))
    lines = []
    for names in sorted(compared, key=lambda names: phases.index(names[0])):
        own = compared[names]
        (first, *_), *_ = own.values()
        lines.append([*names, *(_range(own.get(machine, [])) for machine in machines), first.bound])
    return lines


def _range(rows: list[Row]) -> str:
    """The ratios of a machine's runs, and how many of them missed the reach."""
    if not rows:
        return ""
    missed = [row.verdict for row in rows].count("missed")
    across = span([row.ratio for row in rows])
    some = f" {missed} of {len(rows)}" if missed < len(rows) else ""
    return f"{across}, **missed{some}**" if missed else across


def _what(row: Row) -> str:
    """Its name now: what runs before fa3a256 measured in fp32 alone did not say so."""
    return re.sub(r"(^of it(?=:)|distant and close$|after training$)", r"\1, fp32", row.what)


def table(heads: Sequence[str], rows: list[list[str]]) -> list[str]:
    """Lines of a table in Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, *rows)]
    return [lines[0], "|" + " --- |" * len(heads), *lines[1:]]
