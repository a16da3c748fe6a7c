"""muver encode-spans: every run of neighbouring views."""

import argparse
from pathlib import Path

from muver.commands import add_defaults, add_inputs, add_label
from muver.encoders.stages.settings import SPANS

HELP = "merge and encode every run of neighbouring views, of entities with few views"
EXAMPLE = """\
muver encode-spans --model models/muver --store store --settings '{"max_views": 10}' --out spans
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_defaults(parser, SPANS)
    add_inputs(parser, "model", "store")
    parser.add_argument("--out", type=Path, required=True, help="folder of the spans")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.spans import encode_spans

    encode_spans(args.model, args.store, args.out, args.settings)
