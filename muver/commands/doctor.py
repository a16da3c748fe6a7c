"""``muver doctor``: what differs between two runs, and what stands in the way of the next one."""

import argparse
import sys
from pathlib import Path

from muver.commands import add_settings

HELP = "compare two runs and what made them, or check this machine before a run"
EXAMPLE = """\
muver doctor compare here/muver.parquet there/muver.parquet --settings '{"cutoffs": [1, 64]}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver doctor``."""
    parser.epilog = "Ends with 0 if all is well, 1 if something was found, 2 after a bad input."
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    comparing = actions.add_parser(
        "compare",
        help="two runs of the same mentions: ranks that moved, and what can have moved them",
    )
    for name in ("first", "second"):
        comparing.add_argument(
            name, type=Path, metavar="RUN", help="run file: ours (.parquet) or TREC's"
        )
    comparing.add_argument("--entities", type=Path, help="entities.parquet of the corpus stage")
    comparing.add_argument("--mentions", type=Path, help="mentions.parquet, for the gold entities")
    comparing.add_argument("--qrels", type=Path, help="TREC file of the gold entities instead")
    comparing.add_argument(
        "--json", type=Path, metavar="FILE", help="write the report for programs"
    )
    add_settings(
        comparing,
        '{"cutoffs": [1, 64], "tolerance": 1e-5, "match": "title"}; all of them may be left out',
        required=False,
    )
    comparing.set_defaults(act=_compare)
    checking = actions.add_parser(
        "check", help="before a run: what is missing, what does not fit, how long it will take"
    )
    checking.add_argument(
        "--config", nargs="+", default=[], metavar="KEY=VALUE", help="as snakemake takes it"
    )
    checking.add_argument(
        "--directory", type=Path, default=Path("."), help="the project's folder (default: this)"
    )
    checking.add_argument(
        "--quick",
        action="store_true",
        help="do not try whether the libraries can be imported, load no torch, measure no rates",
    )
    checking.add_argument("--json", type=Path, metavar="FILE", help="write the report for programs")
    checking.set_defaults(act=_check)


def run(args: argparse.Namespace) -> None:
    """Run the action; ends with status 1 if it found something."""
    if args.act(args):
        sys.exit(1)


def _compare(args: argparse.Namespace) -> bool:
    from muver.doctor.compare import compare
    from muver.doctor.text import as_text
    from muver.io.files import write_json

    report = compare(
        args.first,
        args.second,
        entities=args.entities,
        mentions=args.mentions,
        qrels=args.qrels,
        settings=args.settings,
    )
    if args.json is not None:
        write_json(args.json, report)
    print(as_text(report), end="")
    return report["found"]


def _check(args: argparse.Namespace) -> bool:
    from muver.doctor.check import check, overrides_of
    from muver.doctor.check_text import as_text
    from muver.io.files import write_json

    report = check(args.directory, overrides_of(args.config), measured=not args.quick)
    if args.json is not None:
        write_json(args.json, report)
    print(as_text(report), end="")
    return report["found"]
