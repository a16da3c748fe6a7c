"""muver doctor: two runs, a run and the numbers of record, and what is in the way of the next."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from muver.commands import add_settings
from muver.io.errors import InputError

HELP = "compare two runs, or a run with the numbers of record; check this machine before a run"
EXAMPLE = """\
muver doctor compare here/muver.parquet there/muver.parquet --settings '{"cutoffs": [1, 64]}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of both actions."""
    parser.epilog = (
        "Ends with 0 if all is well, 1 if something was found (of record: a row of equal key whose "
        "numbers lie outside the spread), 2 after a bad input."
    )
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
    add_settings(
        comparing,
        '{"cutoffs": [1, 64], "tolerance": 1e-5, "match": "title"}; all of them may be left out',
        required=False,
    )
    comparing.set_defaults(act=_compare)
    checking = actions.add_parser(
        "check", help="before a run: what is missing, what does not fit, how long it will take"
    )
    add_project(checking)
    checking.add_argument(
        "--quick",
        action="store_true",
        help="do not try whether the libraries can be imported, load no torch, measure no rates",
    )
    checking.set_defaults(act=_check)
    recorded = actions.add_parser(
        "record",
        help="after a run: its rows beside the numbers of record, which lie in docs/results",
    )
    add_project(recorded)
    recorded.add_argument(
        "--add",
        action="store_true",
        help="add the numbers to those of record, as one more machine's: they widen the spread",
    )
    recorded.set_defaults(act=_record)
    for action in (comparing, checking, recorded):
        action.add_argument(
            "--json", type=Path, metavar="FILE", help="write the report for programs"
        )


def add_project(parser: argparse.ArgumentParser) -> None:
    """Add ``--config`` and ``--directory``: a project's settings."""
    parser.add_argument(
        "--config", nargs="+", default=[], metavar="KEY=VALUE", help="as snakemake takes it"
    )
    parser.add_argument(
        "--directory", type=Path, default=Path("."), help="the project's folder (default: this)"
    )


def overrides_of(pairs: Sequence[str]) -> dict[str, Any]:
    """``KEY=VALUE`` as ``snakemake --config`` reads it: the value is YAML.

    Raises
    ------
    InputError
        For a pair without ``=``, or a value that is no YAML.
    """
    import yaml

    overrides = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InputError(f"--config {pair}: expected KEY=VALUE.")
        try:
            overrides[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InputError(f"--config {key}: {value!r} is not YAML ({error}).") from None
    return overrides


def run(args: argparse.Namespace) -> None:
    """Run the action; ends with status 1 if it found something."""
    from muver.io.files import write_json

    report, text = args.act(args)
    if args.json is not None:
        write_json(args.json, report)
    print(text, end="")
    if report["found"]:
        sys.exit(1)


def _compare(args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from muver.doctor.compare import compare
    from muver.doctor.compare_text import as_text

    files = {name: getattr(args, name) for name in ("entities", "mentions", "qrels")}
    report = compare(args.first, args.second, **files, settings=args.settings)
    return report, as_text(report)


def _check(args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from muver.doctor.check import check
    from muver.doctor.check_text import as_text

    report = check(args.directory, overrides_of(args.config), measured=not args.quick)
    return report, as_text(report)


def _record(args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    from muver.doctor.record import compare_with_record
    from muver.doctor.record_text import as_text

    report = compare_with_record(args.directory, overrides_of(args.config), args.add)
    return report, as_text(report)
