"""``muver generate``: write the built-in data."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = (
    "make the built-in data (miniwikia): fictional wikis in ZESHEL's format or KILT's, from a seed"
)
EXAMPLE = """\
muver generate --out build/miniwikia/raw --settings '{"seed": 13, "worlds": {"train": ["avelmoor"],
  "val": ["eskerfell"], "test": ["farrowmark"]}, "entities_per_world": 50,
  "mentions": {"train": 100, "val": 50, "test": 50}}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the stage's options."""
    parser.add_argument(
        "--shape",
        choices=["zeshel", "kilt"],
        default="zeshel",
        help="ZESHEL's format (default), or KILT's knowledge source with BLINK's benchmark files",
    )
    add_settings(
        parser,
        "seed, worlds by split, entities_per_world, mentions by split; "
        "for kilt: seed, entities, entities_per_world, mentions by set",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FOLDER",
        help="gets documents/<world>.json and mentions/{train,val,test}.json; "
        "for kilt: kilt_knowledgesource.json and <set>.jsonl",
    )
    parser.add_argument("--workers", type=int, default=1, help="processes, for kilt")


def run(args: argparse.Namespace) -> None:
    """Make the data."""
    from muver.corpus.miniwikia import generate, generate_kilt
    from muver.corpus.settings import Generate, GenerateKilt
    from muver.io.typed import read

    if args.shape == "kilt":
        generate_kilt(read(GenerateKilt, args.settings), args.out, args.workers)
    else:
        generate(read(Generate, args.settings), args.out)
