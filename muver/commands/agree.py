"""``muver agree``: how far two runs rank alike."""

import argparse
from pathlib import Path

HELP = "compare two runs of the same mentions: equal lists, common candidates, scores"
NOTE = """\
Shows what a change that should keep the ranking does to it: another precision, a quantised or
approximate index. What it does to recall stands in the two rows' tables.
"""
EXAMPLE = """\
muver agree fp32/muver.parquet bf16/muver.parquet --out agreement.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver agree``."""
    parser.epilog = NOTE
    for name in ("first", "second"):
        parser.add_argument(
            name, type=Path, metavar="RUN", help="run file, from muver retrieve, bm25 or fuse"
        )
    parser.add_argument("--out", type=Path, metavar="FILE", help="JSON file to write as well")


def run(args: argparse.Namespace) -> None:
    """Run the comparison."""
    from muver.evaluation.agreement import agreement, as_text
    from muver.io.files import write_json

    found = agreement(args.first, args.second)
    if args.out is not None:
        runs = [args.first.as_posix(), args.second.as_posix()]
        write_json(args.out, {"runs": runs, **found})
    print(as_text(found))
