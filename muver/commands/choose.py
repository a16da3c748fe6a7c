"""muver choose: the best of several models by validation."""

import argparse
from pathlib import Path

HELP = "choose one of several trained models by validation recall"
EXAMPLE = """\
muver choose --models models/blink_128 models/blink_all --cutoff 64 --out models/partalidou
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--models", type=Path, nargs="+", required=True, help="model directories, with their logs"
    )
    parser.add_argument("--cutoff", type=int, required=True, help="the k of recall@k")
    parser.add_argument("--out", type=Path, required=True, help="model directory to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.training.choice import choose

    choose(args.models, args.cutoff, args.out)
