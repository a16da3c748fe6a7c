"""muver merge: the heuristic search."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "merge views, layer by layer, and encode the merged ones"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--label", help="name of the model in progress lines")
    parser.add_argument(
        "--settings", type=json_settings, required=True, help="'merge' and 'compute' as JSON"
    )
    parser.add_argument("--model", type=Path, required=True, help="model directory")
    parser.add_argument(
        "--store", type=Path, required=True, help="folder that `muver encode` wrote"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the merged layers")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.merge import merge_store

    merge_store(args.model, args.store, args.out, args.settings)
