"""``muver segment``: descriptions split into sentences."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "split descriptions into sentences with Punkt"
EXAMPLE = """\
muver segment --entities entities.parquet --counts counts.json --settings '{"punkt": "train"}'
  --out segment
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver segment``."""
    add_inputs(parser, "entities", "counts")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument(
        "--english", type=Path, help="folder of Punkt's English parameters, from muver download"
    )
    add_settings(
        parser,
        '{"punkt": "train"}, learnt from the training worlds (default), or "english"',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.io.checking import with_defaults
    from muver.views.segment import segment

    settings = with_defaults(args.settings, {"punkt": "train"})
    segment(args.entities, args.counts, args.out, settings["punkt"], args.english)
