"""muver encode-global: one more view an entity."""

import argparse
from pathlib import Path

from muver.commands import add_defaults, add_inputs, add_label
from muver.encoders.stages.settings import GLOBAL

HELP = "encode one view of each entity's whole description, beside those of a store"
EXAMPLE = """\
muver encode-global --model models/muver --store store --entities entities.parquet
  --settings '{"max_tokens": 128}' --out globals
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_defaults(parser, GLOBAL)
    add_inputs(parser, "model", "store", "entities")
    parser.add_argument("--out", type=Path, required=True, help="folder of the global views")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.global_views import encode_global

    encode_global(args.model, args.store, args.entities, args.out, args.settings)
