"""docs/reliability.md, computed from the records and from the list of faults."""

import inspect
from collections import Counter
from operator import itemgetter
from textwrap import fill
from typing import Any

from campaign.faults import FAULTS
from campaign.plan import ROOT
from campaign.sections import SECTIONS, Section

PAGE = ROOT / "docs/reliability.md"
WIDTH = 110
HEAD = """\
# Reliability

`make campaign` writes this page from `campaign/records`, which has a file for each run of a
section. An attack is drawn from a seed: `python -m campaign SECTION --seed S --cases N` repeats
it. A section first gets a deliberate fault; unless it sees the fault in each kind, nothing is
recorded. The counts are of the newest code that a section was run on. If the aim is no number, all
cases have to hold. The module that a section names says at its top what a case is and when it
holds. The faults that were found, each with the test that fails without its mend, are in
`campaign/faults.py`.
"""


def newest(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs of the commit that was run last, one for each seed."""
    if not runs:
        return []
    return list({run["seed"]: run for run in runs if run["commit"] == runs[-1]["commit"]}.values())


def counts(runs: list[dict[str, Any]]) -> tuple[Counter[str], Counter[str]]:
    """Cases, and those that held, by kind."""
    cases, held = Counter(), Counter()
    for run in runs:
        cases.update(run["cases"])
        held.update(run["held"])
    return cases, held


def verdict(section: Section, cases: Counter[str], held: Counter[str]) -> str:
    """Whether a section came as far as was asked, and held."""
    done = min(cases.values(), default=0) if section.each else cases.total()
    enough = "reached" if done >= section.reach else "missed"
    if not section.reach:
        said = "all held" if held == cases else "not all held"
        return said if cases else "missed (not run)"
    reach = f"{section.reach:,}{' of each kind' * section.each}"
    return (
        f"{enough} ({done:,} of {reach})"
        if held == cases
        else f"{enough} ({done:,} of {reach}), and not all held"
    )


def text(stored: dict[str, list[dict[str, Any]]]) -> str:
    """The page."""
    lines = [
        "| Section | Kinds | Cases | Held | Aim | Run |",
        "| --- | ---: | ---: | ---: | --- | --- |",
    ]
    for name, section in SECTIONS.items():
        runs = newest(stored.get(name, []))
        cases, held = counts(runs)
        last = f"{runs[-1]['date']}, {runs[-1]['commit']}" if runs else ""
        lines.append(
            f"| [{section.title}](#{section.title.lower().replace(' ', '-')}) | {len(cases)} "
            f"| {cases.total():,} | {held.total():,} | {verdict(section, cases, held)} | {last} |"
        )
    parts = [HEAD, "\n".join(lines)]
    for name, section in SECTIONS.items():
        parts.append(_section(name, section, newest(stored.get(name, []))))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _section(name: str, section: Section, runs: list[dict[str, Any]]) -> str:
    """A section: the first lines of its module, where it is the module's first, and of its attack,
    and what it found.
    """
    module = section.attack.__module__
    begins = next(one for one in SECTIONS.values() if one.attack.__module__ == module) is section
    first, *_ = (inspect.getdoc(inspect.getmodule(section.attack)) or "").partition("\n\n")
    attack = inspect.getdoc(section.attack) or ""
    told = f"{first} {attack}" if begins else attack
    told = f"{told} (`{module.replace('.', '/')}.py`)"
    parts = [f"## {section.title}", fill(told, WIDTH)]
    measured = [one for run in runs for one in run.get("greatest", {}).items()]
    if greatest := dict(sorted(measured, key=itemgetter(1))):
        lines = (f"| {name} | {number:,.2f} |" for name, number in sorted(greatest.items()))
        parts.append("\n".join(["| The greatest | |", "| --- | ---: |", *lines]))
    found = [one for one in FAULTS if one.section == name]
    unmended = [one for one in found if one.mended.startswith("Not ")]
    number = len(found) - len(unmended)
    parts.append(f"Found and mended: {number}." if found else "")
    parts += [f"- **Open:** {one.what} {one.mended}" for one in unmended]
    return "\n\n".join(filter(None, parts))
