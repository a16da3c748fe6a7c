"""muver encode-spans: every run of neighbouring views."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings

HELP = "merge and encode every run of neighbouring views, of entities with few views"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_settings(parser, "'spans' and 'compute' as JSON")
    add_inputs(parser, "model", "store")
    parser.add_argument("--out", type=Path, required=True, help="folder of the spans")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.spans import encode_spans

    encode_spans(args.model, args.store, args.out, args.settings)
