"""muver encode: views and mentions to vectors."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "encode the entities and mentions of a split into a view store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--label", help="name of the model in progress lines")
    parser.add_argument(
        "--settings", type=json_settings, required=True, help="'split' and 'compute' as JSON"
    )
    parser.add_argument("--model", type=Path, required=True, help="model directory")
    parser.add_argument("--entities", type=Path, required=True)
    parser.add_argument("--mentions", type=Path, required=True)
    parser.add_argument("--sentences", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the store")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.encode import encode_split

    encode_split(args.model, args.entities, args.mentions, args.sentences, args.out, args.settings)
