"""Runs of record: a file each, in the folder of its machine, which nothing changes or replaces."""

import datetime
import re
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.rows import Findings, Row
from muver.io.files import read_json, write_json
from muver.reproduction.tracking.provenance import code_version

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "benchmarks" / "figures"


@dataclass(frozen=True)
class Run:
    """A run as it was stored, and its commit, which its file is named by."""

    commit: str
    machine: dict[str, str]
    data: str
    command: str
    date: str
    rows: list[Row]
    agreements: list[str]
    differences: list[str]


def machine_name(machine: dict[str, str]) -> str:
    """The device and its threads; processors of one name differ in their instructions."""
    instructions = [machine["vector instructions"]] if machine["device"] == machine["CPU"] else []
    threads = f"{machine['threads']} thread{'s' * (machine['threads'] != '1')}"
    return ", ".join([machine["device"], *instructions, threads])


def name_run() -> str:
    """A name for a run that starts now: the time, and the commit that is checked out."""
    code = code_version(ROOT)
    changed = "-changed" * (code.get("git_dirty") == "true")
    commit = code.get("git_commit", "unknown")[:7]
    return f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H%M%S}-{commit}{changed}"


def save(
    findings: Findings, machine: dict[str, str], data: str, command: str, folder: Path, name: str
) -> Path:
    """Add a run to those of its machine."""
    own = folder / re.sub(r"[^a-z0-9]+", "-", machine_name(machine).lower()).strip("-")
    path = own / f"{name}.json"
    if path.exists():
        raise FileExistsError(path)
    record = {
        "machine": machine,
        "data": data,
        "command": command,
        "date": name[:10],
        "rows": [asdict(row) for row in findings.rows],
        "agreements": findings.agreements,
        "differences": findings.differences,
    }
    write_json(path, record)
    return path


def read_runs(folder: Path = FIGURES) -> dict[str, list[Run]]:
    """All runs by their machine's name, the oldest first."""
    runs = defaultdict(list)
    for path in sorted(folder.glob("*/*.json")):
        record = read_json(path)
        record["rows"] = [Row(**row) for row in record["rows"]]
        commit = path.stem.split("-", 3)[3]  # after the day and the minute
        runs[machine_name(record["machine"])].append(Run(commit, **record))
    return dict(runs)
