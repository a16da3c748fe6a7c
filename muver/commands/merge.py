"""muver merge: the heuristic search."""

import argparse
from pathlib import Path

from muver.commands import add_defaults, add_inputs, add_label
from muver.encoders.stages.settings import MERGE

HELP = "merge views, layer by layer, and encode the merged ones"
EXAMPLE = """\
muver merge --model models/muver --store store --settings '{"layers": 4, "pairs": "close"}'
  --out merged
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_defaults(parser, MERGE)
    add_inputs(parser, "model", "store")
    parser.add_argument("--out", type=Path, required=True, help="folder of the merged layers")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.merge import merge_store

    merge_store(args.model, args.store, args.out, args.settings)
