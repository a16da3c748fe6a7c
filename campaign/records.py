"""Records: what a section's run gave, a file each, which nothing changes or replaces."""

import datetime
import subprocess
from collections import Counter
from operator import itemgetter
from pathlib import Path
from typing import Any

from campaign.plan import ROOT, Case
from muver.io import processor
from muver.io.files import read_json, write_json

FOLDER = ROOT / "campaign/records"
SHOWN = 20  # cases that did not hold and are kept in words


def commit() -> str:
    """The commit that is checked out; with a plus sign where files differ from it."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "muver", "workflow", "campaign/*.py")
    return git("rev-parse", "--short=8", "HEAD") + "+" * bool(changed)


def save(
    section: str, seed: int, code: str, seconds: float, cases: list[Case], folder: Path = FOLDER
) -> Path:
    """Add the record of a run."""
    now = datetime.datetime.now(datetime.UTC)
    wrong = [case for case in cases if case.wrong]
    measured = [one for case in cases for one in case.measured.items()]
    path = folder / f"{now:%Y-%m-%dT%H%M%S}-{section}-{seed}.json"
    if path.exists():
        raise FileExistsError(path)
    write_json(
        path,
        {
            "section": section,
            "date": f"{now:%Y-%m-%d}",
            "commit": code,
            "seed": seed,
            "machine": f"{processor.name()}, 2 cores that other work shares",
            "minutes": round(seconds / 60, 1),
            "cases": dict(Counter(case.kind for case in cases)),
            "held": dict(Counter(case.kind for case in cases if not case.wrong)),
            "greatest": {name: number for name, number in sorted(measured, key=itemgetter(1))},
            # A traceback has the files of the checkout, which lies elsewhere on other machines.
            "wrong": [
                {"kind": one.kind, "what": one.what, "wrong": one.wrong.replace(f"{ROOT}/", "")}
                for one in wrong[:SHOWN]
            ],
        },
    )
    return path


def stored(folder: Path = FOLDER) -> dict[str, list[dict[str, Any]]]:
    """All records by section, the oldest first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        record = read_json(path)
        found.setdefault(record["section"], []).append(record)
    return found
