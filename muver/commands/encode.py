"""muver encode: views and mentions to vectors."""

import argparse
from pathlib import Path

from muver.commands import add_defaults, add_inputs, add_label
from muver.encoders.stages.settings import ENCODE

HELP = "encode the entities and mentions of a split into a view store"
EXAMPLE = """\
muver encode --model models/muver --entities entities.parquet --mentions mentions.parquet
  --sentences sentences.parquet --settings '{"split": "test", "device": "cpu"}' --out store
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_defaults(parser, ENCODE)
    add_inputs(parser, "model", "entities", "mentions", "sentences")
    parser.add_argument("--out", type=Path, required=True, help="folder of the store")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.encode import encode_split

    encode_split(args.model, args.entities, args.mentions, args.sentences, args.out, args.settings)
