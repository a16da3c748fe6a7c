"""muver encode-global: one more view an entity."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "encode one view of each entity's whole description, beside those of a store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--label", help="name of the model in progress lines")
    parser.add_argument(
        "--settings", type=json_settings, required=True, help="'global_view' and 'compute' as JSON"
    )
    parser.add_argument("--model", type=Path, required=True, help="model directory")
    parser.add_argument(
        "--store", type=Path, required=True, help="folder that `muver encode` wrote"
    )
    parser.add_argument("--entities", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="folder of the global views")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.global_views import encode_global

    encode_global(args.model, args.store, args.entities, args.out, args.settings)
