"""Prints results, saves them by machine, and writes docs/performance.md from them."""

import datetime
import re
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.rows import HEAD, Findings, Row
from muver.io.files import read_json, write_json, write_text

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "benchmarks" / "figures"
PAGE = ROOT / "docs" / "performance.md"

INTRODUCTION = """\
# Performance

`python -m benchmarks` writes this page from `benchmarks/figures/`. The baseline works as the
released code does: one entity at a time, rows padded to 40 tokens, attentions of all layers
computed, every setting of merging from scratch; for each mention a softmax over all views of the
world, a full sort and a walk in Python. Both sides have the same weights, data, threads and device
and run in turn; figures are medians.

Shares of the peak are of the best matrix product measured in the same run. They count the
operations that real tokens need: no padding, and of the last layer only the vector of `[CLS]`. The
ratio divided by the share of the peak beside it is the most that this machine could give; where
that is below the reach, no code reaches it here. Reaches in bf16 are meant for processors with
AMX, whose products in bf16 are many times as fast as in fp32.

A shared machine's speed changes within a run. With AVX-512 and two threads, merging in fp32 was
1.94, 2.14 and 2.48 times as fast as the baseline in three runs, in which the baseline made 58, 51
and 42 views a second; two runs end to end gave 6.8 and 7.95.

Distant and close merging encode some equal runs of sentences. Each row encodes its own, so that its
last digits do not depend on the rows made before it.

## What lower precisions change

`compute.precision` for the 909 validation mentions of one world (OpenTTD's manual, 911 entities,
23,326 views) by MuVER with all-MiniLM-L6-v2 and no merged views, on an AMD EPYC with AVX-512, bf16
and VNNI, one thread beside other work (`muver encode`, `muver retrieve`, `muver agree`;
recall counted from the run files):

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


def save(
    findings: Findings, machine: dict[str, str], data: str, command: str, folder: Path
) -> Path:
    """Write a run's figures under the device's name."""
    name = re.sub(r"[^a-z0-9]+", "-", _title(machine).lower())
    path = folder / f"{name.strip('-')}.json"
    record = {
        "machine": machine,
        "data": data,
        "command": command,
        "date": datetime.date.today().isoformat(),
        "rows": [asdict(row) for row in findings.rows],
        "agreements": findings.agreements,
        "differences": findings.differences,
    }
    write_json(path, record)
    return path


def write_page(folder: Path = FIGURES, page: Path = PAGE) -> None:
    """Write the page from all figures, one section per machine."""
    records = [read_json(path) for path in sorted(folder.glob("*.json"))]
    write_text(page, "\n".join([INTRODUCTION, *(_section(record) for record in records)]))


def _title(machine: dict[str, str]) -> str:
    """The device and its threads; processors of one name differ in their instructions."""
    instructions = [machine["vector instructions"]] if machine["device"] == machine["CPU"] else []
    threads = f"{machine['threads']} thread{'s' * (machine['threads'] != '1')}"
    return ", ".join([machine["device"], *instructions, threads])


def _section(record: dict[str, Any]) -> str:
    machine = record["machine"]
    about = ", ".join(f"{name} {value}" for name, value in machine.items() if name != "device")
    rows = [Row(**row).cells() for row in record["rows"]]
    lines = [
        f"## {_title(machine)}",
        "",
        f"{about}. Data: {record['data']}. `{record['command']}`, {record['date']}.",
        "",
        "| " + " | ".join(HEAD) + " |",
        "|" + " --- |" * len(HEAD),
        *("| " + " | ".join(cells) + " |" for cells in rows),
        "",
        "Compared in this run:",
        "",
        *(f"- {line}" for line in record["agreements"]),
        *(f"- **different**: {line}" for line in record["differences"]),
    ]
    return "\n".join(lines) + "\n"
