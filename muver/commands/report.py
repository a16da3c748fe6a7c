"""``muver report``: one page of a run's tables, figures, times and predictions."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "make one page of tables, figures, times and single predictions, which opens anywhere"
EXAMPLE = """\
muver report --results results --settings '{"mentions": 500, "candidates": 5}'
  --out results/report.html
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver report``."""
    parser.add_argument(
        "--results", type=Path, default=Path("results"), metavar="DIR", help="folder of the tables"
    )
    parser.add_argument(
        "--workspace",
        type=Path,
        metavar="DIR",
        help="what was built; by default build/DATASET of the tables' dataset",
    )
    parser.add_argument(
        "--logs", type=Path, metavar="DIR", help="the logs; by default logs/DATASET"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("results/report.html"), help="the page to write"
    )
    add_settings(
        parser,
        '{"results": [names; by default all that are there], "mentions": 2000, "candidates": 10, '
        '"characters": 6000000}: what to show, and how much the page may hold',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.report.stage import make_report

    make_report(args.results, args.out, args.settings, args.workspace, args.logs)
