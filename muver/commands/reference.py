"""muver reference: our pipeline against recordings of the released system."""

import argparse
import sys
from pathlib import Path

HELP = "replay recordings of the released system and count what agrees; exit 1 if anything differs"
EXAMPLE = """\
muver reference recordings --encoder all-MiniLM-L6-v2 --out report.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="a recording, or a folder with one a world"
    )
    parser.add_argument(
        "--encoder", type=Path, required=True, help="BERT directory they were recorded with"
    )
    parser.add_argument("--out", type=Path, help="JSON file for the report")
    parser.add_argument("--threads", type=int, default=1, help="threads of the encoder")


def run(args: argparse.Namespace) -> None:
    """Run the command; ends with status 1 if something differs."""
    from muver.io.files import write_json
    from muver.reference.replay import compare

    report = compare(args.folder, args.encoder, args.threads)
    print(report.as_text(), end="")
    if args.out is not None:
        write_json(args.out, report.as_json())
    if not report.agrees:
        sys.exit(1)
