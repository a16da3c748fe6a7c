"""muver encode-part: the views of one part of a knowledge base."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings

HELP = "encode the views of one part of a knowledge base, unless that is done"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_settings(parser, "dtype (fp16 or fp32) and 'compute' as JSON")
    add_inputs(parser, "model", "kb")
    parser.add_argument(
        "--part", type=int, metavar="N", required=True, help="number of the part, from 0"
    )
    parser.add_argument(
        "--texts",
        type=Path,
        help="folder that `muver kb-texts` wrote, if the model's views name it",
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the vectors' parts")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.kb_part import encode_part

    encode_part(args.model, args.kb, args.part, args.out, args.settings, args.texts)
