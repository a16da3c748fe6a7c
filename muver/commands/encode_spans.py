"""muver encode-spans: every run of neighbouring views."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "merge and encode every run of neighbouring views, of entities with few views"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--label", help="name of the model in progress lines")
    parser.add_argument(
        "--settings", type=json_settings, required=True, help="'spans' and 'compute' as JSON"
    )
    parser.add_argument("--model", type=Path, required=True, help="model directory")
    parser.add_argument(
        "--store", type=Path, required=True, help="folder that `muver encode` wrote"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of the spans")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.stages.spans import encode_spans

    encode_spans(args.model, args.store, args.out, args.settings)
