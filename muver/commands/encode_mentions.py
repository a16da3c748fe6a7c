"""muver encode-mentions: the mentions of a benchmark over a knowledge base."""

import argparse
from pathlib import Path

from muver.commands import add_defaults, add_inputs, add_label
from muver.encoders.stages.settings import COMPUTE

HELP = "encode the mentions that `muver link` matched to a knowledge base"
EXAMPLE = """\
muver encode-mentions --model models/muver --mentions msnbc.parquet --settings '{"threads": 2}'
  --out msnbc.npy
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_defaults(parser, COMPUTE)
    add_inputs(parser, "model")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet of the set")
    parser.add_argument(
        "--out", type=Path, required=True, help=".npy to write; its manifest comes beside it"
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.linked import encode_mentions

    encode_mentions(args.model, args.mentions, args.out, args.settings)
