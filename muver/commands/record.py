"""``muver record``: a table's rows, or the grid's points, as MLflow runs."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "record each row of a table, or each point of the grid, as an MLflow run"


def system_file(text: str) -> tuple[str, Path]:
    """Parse ``SYSTEM=FILE``."""
    system, equals, path = text.partition("=")
    if not (system and equals and path):
        raise argparse.ArgumentTypeError(f"expected SYSTEM=FILE, got {text!r}")
    return system, Path(path)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver record``."""
    made = parser.add_mutually_exclusive_group(required=True)
    made.add_argument("--table", type=Path, help="JSON that muver table wrote")
    made.add_argument("--grid", type=Path, help="JSON that muver grid wrote")
    parser.add_argument(
        "--evaluations", type=Path, nargs="+", default=[], help="of a table: from muver evaluate"
    )
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        default=[],
        help="of a table: run files, named after their systems",
    )
    parser.add_argument(
        "--artifacts",
        type=system_file,
        nargs="*",
        default=[],
        metavar="SYSTEM=FILE",
        help="of a table: further files to keep with a system's run, such as its training log",
    )
    parser.add_argument(
        "--logs",
        type=Path,
        nargs="+",
        default=[],
        help="of the grid: training logs, each named after its point",
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="CSV file: the run and its address of each row key"
    )
    add_settings(
        parser,
        '{"experiment": NAME, "enabled": true}; by default the name of the table\'s file',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.tracking.record import record, record_grid

    if args.grid:
        record_grid(args.grid, args.logs, args.out, args.settings)
    else:
        record(args.table, args.evaluations, args.runs, args.artifacts, args.out, args.settings)
