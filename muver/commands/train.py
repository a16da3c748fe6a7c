"""muver train: one pair of towers."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings, json_settings

HELP = "train a model: two towers on the training worlds, the checkpoint that the settings keep"
EXAMPLE = """\
muver train --start start --entities entities.parquet --mentions mentions.parquet
  --sentences sentences.parquet --compute '{"device": "cpu", "precision": "fp32", "threads": 1}'
  --settings '{"views": {"kind": "prefix", "max_tokens": 128}, "context": {"max_tokens": 128},
  "score": "max", "seed": 10000, "training": {"batch_size": 32, "epochs": 3,
  "learning_rate": 3e-4, "weight_decay": 0.01, "warmup": 0.1, "clip_norm": 1.0,
  "adam_epsilon": 1e-6, "mask_false_negatives": false, "validate_every": 75,
  "validation_cutoff": 16, "checkpoint_every": 75, "chunk_tokens": 2048, "graph_tokens": 65536}}'
  --checkpoints checkpoints --training-log training_log.jsonl --out models/blink
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "model")
    add_settings(
        parser,
        "the model's settings (views, score, metric, pooling, context, training, precision, "
        "seed, start, negatives) as JSON",
    )
    parser.add_argument(
        "--compute", type=json_settings, required=True, help="the section 'compute' as JSON"
    )
    parser.add_argument(
        "--start", type=Path, required=True, help="BERT or model directory to start from"
    )
    add_inputs(parser, "entities", "mentions", "sentences")
    parser.add_argument(
        "--negatives", type=Path, help="hard negatives of the mentions, from `muver kb-subset`"
    )
    parser.add_argument(
        "--checkpoints", type=Path, required=True, help="folder that a killed run resumes from"
    )
    parser.add_argument("--training-log", type=Path, required=True, help="JSON lines to write")
    parser.add_argument(
        "--out", type=Path, help="model directory to write; without it only the log is written"
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.training.run import train

    train(
        settings=args.settings,
        compute=args.compute,
        start=args.start,
        entities=args.entities,
        mentions=args.mentions,
        sentences=args.sentences,
        checkpoints=args.checkpoints,
        training_log=args.training_log,
        out=args.out,
        negatives=args.negatives,
    )
