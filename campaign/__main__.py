"""The command line of the campaign."""

import argparse
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from campaign import page, records
from campaign.plan import Case, Plan
from campaign.sections import SECTIONS, Section
from muver.io.files import write_text


def blind(section: Section, seed: int, folder: Path) -> set[str]:
    """Kinds of which a section takes all cases for good ones although each has a fault."""
    plan = Plan(1, seed, float("inf"), folder, fault=True)
    plan.folder.mkdir(parents=True)
    seen = list(section.attack(plan))
    return {case.kind for case in seen} - {case.kind for case in seen if case.wrong}


def run(name: str, cases: int | None, seed: int, minutes: float) -> list[Case]:
    """Run a section and keep its record."""
    section, done, code = SECTIONS[name], [], records.commit()
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        if unseen := blind(section, seed, Path(folder, "blind")):
            raise SystemExit(f"{name} does not see a deliberate fault: {unseen}")
        began = time.monotonic()
        plan = Plan(cases or section.cases, seed, began + 60 * minutes, Path(folder, "attack"))
        plan.folder.mkdir()
        for case in section.attack(plan):
            done.append(case)
            if case.wrong:
                print(f"{name}: {case.kind}, {case.what}: {case.wrong}", flush=True)
        seconds = time.monotonic() - began
    records.save(name, seed, code, seconds, done)
    print(f"{name}: {sum(not one.wrong for one in done)} of {len(done)} held", flush=True)
    return done


def main(words: list[str] | None = None) -> int:
    """Run sections and write the page; 1 if a case did not hold."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("section", nargs="*", help=f"of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--cases", type=int, help="of each section; by default its own number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=5, help="at most, for each section")
    parser.add_argument("--page", action="store_true", help="only write docs/reliability.md")
    args = parser.parse_args(words)
    if unknown := set(args.section) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    done = []
    lacking = set() if find_spec("atheris") else {"guided"}
    if lacking & set(args.section):
        parser.error("guided needs atheris: pip install atheris")
    there = [name for name in SECTIONS if name not in lacking]
    for name in [] if args.page else args.section or there:
        done += run(name, args.cases, args.seed, args.minutes)
    write_text(page.PAGE, page.text(records.stored()))
    return int(any(case.wrong for case in done))


if __name__ == "__main__":
    sys.exit(main())
