"""What `muver doctor` does: prints a report, and ends with status 1 if something was found."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from muver.io.files import write_json

Config = Iterable[tuple[str, Any]]  # settings that replace those of params.yaml


def compare_runs(
    first: Path,
    second: Path,
    entities: Path | None = None,
    mentions: Path | None = None,
    qrels: Path | None = None,
    out: Path | None = None,
) -> None:
    """Print what moved between two runs."""
    from muver.reproduction.doctor.compare import compare
    from muver.reproduction.doctor.compare_text import as_text

    report = compare(first, second, entities, mentions, qrels)
    _tell(report, as_text(report), out)


def check_project(folder: Path, config: Config, measured: bool, out: Path | None = None) -> None:
    """Print whether a run can begin, and how long it takes."""
    from muver.reproduction.doctor.check import as_text, check

    report = check(folder, dict(config), measured=measured)
    _tell(report, as_text(report), out)


def compare_record(folder: Path, config: Config, add: bool, out: Path | None = None) -> None:
    """Print how far rows are from the record."""
    from muver.reproduction.doctor.record import as_text, compare_with_record

    report = compare_with_record(folder, dict(config), add)
    _tell(report, as_text(report), out)


def _tell(report: Mapping[str, Any], text: str, out: Path | None) -> None:
    if out is not None:
        write_json(out, report)
    print(text, end="")
    if report["found"]:
        sys.exit(1)
