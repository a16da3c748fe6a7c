"""muver encode-part: the views of one part of a knowledge base."""

import argparse
from pathlib import Path

from muver.commands import add_defaults, add_inputs, add_label
from muver.encoders.stages.settings import PART

HELP = "encode the views of one part of a knowledge base, unless that is done"
EXAMPLE = """\
muver encode-part --model models/muver --kb kb --part 0 --settings '{"dtype": "fp16"}'
  --out vectors
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_defaults(parser, PART)
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
