"""``muver table``: a table of the paper from evaluations."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "make a table of the paper, with our numbers, from evaluations"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver table``."""
    parser.add_argument(
        "--number", type=int, choices=[1, 6], required=True, help="the table's number in the paper"
    )
    parser.add_argument(
        "--evaluations", type=Path, nargs="+", required=True, help="from muver evaluate"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="CSV file; .md, .html and .json come beside it"
    )
    parser.add_argument(
        "--settings",
        type=json_settings,
        required=True,
        metavar="JSON",
        help='{"rows": [{"method": "BM25", "system": "bm25"}, ...]} in the table\'s order',
    )
    parser.add_argument("--print", action="store_true", help="print the table as well")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.tables.stage import make_table

    markdown = make_table(args.number, args.evaluations, args.out, args.settings)
    if args.print:
        print(markdown, end="")
