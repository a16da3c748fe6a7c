"""``muver audit``: MLflow's user interface on the recorded rows."""

import argparse
from pathlib import Path

HELP = "open MLflow's pages on the recorded rows, for this machine alone"
EXAMPLE = """\
muver audit --list
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver audit``."""
    parser.add_argument("--port", type=int, default=5000, help="where it listens, default 5000")
    parser.add_argument(
        "--browser", action="store_true", help="open the first table in the browser as well"
    )
    parser.add_argument(
        "--list", action="store_true", help="only say where each table's runs are, start nothing"
    )
    parser.add_argument(
        "--recorded",
        type=Path,
        default=Path("build"),
        help="folder below which `muver record` wrote its lists of runs, default build",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.tracking.audit import audit

    audit(args.port, args.recorded, browser=args.browser, serve=not args.list)
