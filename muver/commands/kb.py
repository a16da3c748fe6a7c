"""``muver kb``: KILT's knowledge source to a knowledge base, part by part."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "read KILT's knowledge source into a knowledge base: part, all or finish"
EXAMPLE = """\
muver kb all --dump kilt_knowledgesource.json --out kb --workers 2 --settings '{"paragraphs": 5,
  "part_bytes": 134217728, "bad_lines": 100, "bad_share": 0.001, "duplicates": "refuse"}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver kb``."""
    parser.add_argument(
        "step",
        choices=["part", "all", "finish"],
        help="make one part; all that are missing; then the lookups and the manifest",
    )
    parser.add_argument("--dump", type=Path, required=True, help="kilt_knowledgesource.json")
    parser.add_argument("--out", type=Path, required=True, help="folder of the knowledge base")
    parser.add_argument("--part", type=int, metavar="N", help="number of the part, from 0")
    parser.add_argument("--workers", type=int, default=1, help="processes for `all`")
    add_settings(
        parser,
        'paragraphs, part_bytes, bad_lines, bad_share, duplicates ("refuse" or "first"), and if '
        'need be line_bytes and expected ("kilt")',
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.kilt.finish import finish
    from muver.corpus.kilt.make import make_missing, make_part
    from muver.corpus.settings import ReadDump
    from muver.io.errors import InputError
    from muver.io.typed import read

    settings = read(ReadDump, args.settings)
    if (args.part is None) == (args.step == "part"):
        raise InputError("--part: `muver kb part` needs the number of the part, and no other step.")
    if args.step == "part":
        make_part(args.dump, args.out, args.part, settings)
    elif args.step == "all":
        make_missing(args.dump, args.out, settings, args.workers)
    else:
        finish(args.dump, args.out, settings)
