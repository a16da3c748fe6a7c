"""Hostile files led by the code that they reach: atheris changes a valid file of each form.

Each reader is in a process of its own in which muver's readers and rdflib are instrumented. Without
atheris (`pip install atheris`, Linux alone) the section is left out. A form has its share of the
section's time, and ends at its first fault; the last forms had time for a few files alone.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from campaign.plan import ROOT, Case, Plan, seconds_left
from muver.io.errors import InputError

READING = [
    "muver.io",
    "muver.kb",
    "muver.retriever.corpus",
    "muver.reproduction.settings",
    "rdflib",
]
LONGEST = 20_000  # bytes of a changed file
SECONDS, MEGABYTES = 60, 4096  # for one file


def attack(plan: Plan) -> Iterator[Case]:
    """What each reader says to the files that atheris makes."""
    from campaign.hostile import readers

    forms = list(dict(readers(plan.folder)))
    for number, form in enumerate(forms):
        share = min(seconds_left(plan) / (len(forms) - number), 1e6)
        if share < 1:
            return
        report = plan.folder / "report.json"
        report.unlink(missing_ok=True)
        end = int(time.monotonic() + share)
        words = [form, str(plan.cases), str(end), str(plan.seed), str(int(plan.fault))]
        done = subprocess.run(
            [sys.executable, "-m", "campaign.guided", str(report), *words],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        found = json.loads(report.read_text()) if report.exists() else {"files": 1, "wrong": ""}
        wrong = found["wrong"] or f"ended: {done.stderr[-500:]}" * (done.returncode != 0)
        yield from (Case(form, f"file {n}") for n in range(1, found["files"]))
        yield Case(form, f"file {found['files']} of {found.get('bytes', '')}", wrong)


def fuzz(report: Path, form: str, files: int, end: int, seed: int, fault: bool) -> None:
    """Read changed files of a form until one makes a fault; how many they were goes to a report.

    ``end`` is of time.monotonic(), as getting ready takes a part of the time.
    """
    import atheris

    with atheris.instrument_imports(include=READING):
        from campaign.hostile import readers

    folder = Path(tempfile.mkdtemp(dir=report.parent))
    reader = dict(readers(folder))[form]
    outer, valid = folder / "outer", folder / "valid"
    valid.mkdir()
    (valid / "one").write_bytes(reader.valid)
    found: dict[str, Any] = {"files": 0, "wrong": ""}

    def one(content: bytes) -> None:
        found["files"] += 1
        path = outer / "inner" / reader.name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        try:
            if fault:
                raise ValueError("no number")
            reader.work(path)
        except InputError:
            return  # told in words
        except Exception as error:
            found.update(wrong=f"{type(error).__name__}: {error}"[:500], bytes=content.hex()[:2000])
        finally:
            if stray := [one.name for one in outer.iterdir() if one.name != "inner"]:
                found.update(wrong=f"wrote {', '.join(stray)}", bytes=content.hex()[:2000])
            shutil.rmtree(outer)
            if found["wrong"] or not found["files"] % 50 or found["files"] == files:
                report.write_text(json.dumps(found))
            if found["wrong"]:
                os._exit(0)

    os.chdir(folder)
    seconds = max(int(end - time.monotonic()), 1)
    limits = [f"-runs={files}", f"-max_total_time={seconds}", f"-max_len={LONGEST}"]
    limits += [f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-seed={seed}"]
    atheris.Setup([sys.argv[0], *limits, str(valid)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    where, name, *numbers = sys.argv[1:]
    fuzz(Path(where), name, *map(int, numbers))
