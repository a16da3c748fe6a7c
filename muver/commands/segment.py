"""``muver segment``: descriptions split into sentences."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "split descriptions into sentences with Punkt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver segment``."""
    parser.add_argument("--entities", type=Path, required=True, help="from muver corpus")
    parser.add_argument("--counts", type=Path, required=True, help="from muver corpus")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument(
        "--english", type=Path, help="folder of Punkt's English parameters, from muver download"
    )
    parser.add_argument(
        "--settings",
        type=json_settings,
        default={},
        metavar="JSON",
        help='{"punkt": "train"}, learnt from the training worlds (default), or "english"',
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.checking import with_defaults
    from muver.views.segment import segment

    settings = with_defaults(args.settings, {"punkt": "train"})
    segment(args.entities, args.counts, args.out, settings["punkt"], args.english)
