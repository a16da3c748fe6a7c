"""``muver record``: a table's rows as MLflow runs."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "record each row of a table as an MLflow run"


def system_file(text: str) -> tuple[str, Path]:
    """Parse ``SYSTEM=FILE``."""
    system, equals, path = text.partition("=")
    if not (system and equals and path):
        raise argparse.ArgumentTypeError(f"expected SYSTEM=FILE, got {text!r}")
    return system, Path(path)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver record``."""
    parser.add_argument("--table", type=Path, required=True, help="JSON that muver table wrote")
    parser.add_argument(
        "--evaluations", type=Path, nargs="+", required=True, help="from muver evaluate"
    )
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="run files, named after their systems"
    )
    parser.add_argument(
        "--artifacts",
        type=system_file,
        nargs="*",
        default=[],
        metavar="SYSTEM=FILE",
        help="further files to keep with a system's run, such as its training log",
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="CSV file: the run and its address of each row key"
    )
    parser.add_argument(
        "--settings",
        type=json_settings,
        default={},
        metavar="JSON",
        help='{"experiment": "table1", "enabled": true}',
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.tracking.record import record

    record(args.table, args.evaluations, args.runs, args.artifacts, args.out, args.settings)
