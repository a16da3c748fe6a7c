"""What `muver doctor` does: prints a report, and ends with status 1 if something was found."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from muver.io.files import write_json

Config = Iterable[tuple[str, Any]]  # settings that replace those of params.yaml


def compare_runs(first: Path, second: Path, *, out: Path | None = None) -> None:
    """Print what moved between two runs.

    Ends with 0 if all is well, 1 if something was found, 2 after bad input.

    Parameters
    ----------
    first, second
        Run files, as build/miniwikia/current/runs/test/muver.parquet.
    out
        JSON file to write as well.
    """
    from muver.reproduction.doctor.compare import compare
    from muver.reproduction.doctor.compare_text import as_text

    report = compare(first, second)
    _tell(report, as_text(report), out)


def check_project(
    *,
    folder: Path = Path("."),
    config: Config = (),
    quick: bool = False,
    out: Path | None = None,
) -> None:
    """Print whether a run can begin, and how long it takes.

    Ends with 0 if all is well, 1 if something was found, 2 after bad input.

    Parameters
    ----------
    folder
        The project's, with params.yaml.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    quick
        Load no torch and measure no rates.
    out
        JSON file to write as well.
    """
    from muver.reproduction.doctor.check import as_text, check

    report = check(folder, dict(config), measured=not quick)
    _tell(report, as_text(report), out)


def compare_record(
    *, folder: Path = Path("."), config: Config = (), add: bool = False, out: Path | None = None
) -> None:
    """Print how far rows are from the record.

    Ends with 1 if a row of equal key has numbers outside of the spread, 2 after bad input.

    Parameters
    ----------
    folder
        The project's, with params.yaml.
    config
        Settings that replace those of params.yaml, as snakemake takes them.
    add
        Add the numbers to those of record, as one more machine's: they widen the spread.
    out
        JSON file to write as well.
    """
    from muver.reproduction.doctor.record import as_text, compare_with_record

    report = compare_with_record(folder, dict(config), add)
    _tell(report, as_text(report), out)


def _tell(report: Mapping[str, Any], text: str, out: Path | None) -> None:
    if out is not None:
        write_json(out, report)
    print(text, end="")
    if report["found"]:
        sys.exit(1)
