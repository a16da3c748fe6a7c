"""muver merge: the heuristic search."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings

HELP = "merge views, layer by layer, and encode the merged ones"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_settings(parser, "'merge' and 'compute' as JSON")
    add_inputs(parser, "model", "store")
    parser.add_argument("--out", type=Path, required=True, help="folder of the merged layers")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.merge import merge_store

    merge_store(args.model, args.store, args.out, args.settings)
