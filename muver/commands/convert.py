"""muver convert: a checkpoint of a released system to a model directory."""

import argparse
from pathlib import Path

from muver.commands import add_label, add_settings

HELP = "convert a released checkpoint (a pickled state dict of two towers) to a model directory"
EXAMPLE = """\
muver convert --checkpoint best_zeshel.bin --encoder bert-base-uncased --out models/muver
  --settings '{"views": {"kind": "sentences", "max_tokens": 40, "min_pieces": 6, "title_room": 6,
  "training_views": 10}, "context": {"max_tokens": 128}, "score": "max"}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    parser.add_argument(
        "--checkpoint", type=Path, required=True, help="such as MuVER's best_zeshel.bin"
    )
    parser.add_argument(
        "--encoder", required=True, help="BERT directory or hub name with its sizes and tokenizer"
    )
    add_settings(parser, "the model's settings (views, context, score, metric, pooling) as JSON")
    parser.add_argument("--training-log", type=Path, help="JSON lines: names the checkpoint")
    parser.add_argument("--out", type=Path, required=True, help="model directory to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.encoders.convert import convert

    convert(args.checkpoint, args.encoder, args.settings, args.out, args.training_log)
