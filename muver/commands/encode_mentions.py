"""muver encode-mentions: the mentions of a benchmark over a knowledge base."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings

HELP = "encode the mentions that `muver link` matched to a knowledge base"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_settings(parser, "'compute' as JSON")
    add_inputs(parser, "model")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet of the set")
    parser.add_argument(
        "--out", type=Path, required=True, help=".npy to write; its manifest comes beside it"
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.linked import encode_mentions

    encode_mentions(args.model, args.mentions, args.out, args.settings)
