"""``muver generate``: write the built-in data."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "make the built-in data (miniwikia): fictional wikis in ZESHEL's format, from a seed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's options."""
    add_settings(parser, "seed, worlds by split, entities_per_world, mentions by split")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="gets documents/<world>.json and mentions/{train,val,test}.json",
    )


def run(args: argparse.Namespace) -> None:
    """Make the data."""
    from muver.corpus.miniwikia import generate

    generate(args.settings, args.out)
