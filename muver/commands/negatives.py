"""``muver negatives``: hard negatives from a run."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "mine hard negatives: each mention's best candidates in a run that are not its gold"
EXAMPLE = """\
muver negatives --run blink.parquet --run-manifest blink.json --mentions aida-train.parquet
  --kb kb --settings '{"per_mention": 3}' --out negatives.parquet --manifest negatives.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver negatives``."""
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="from muver retrieve --kind shards"
    )
    parser.add_argument("--run-manifest", type=Path, required=True, help="the run's manifest")
    parser.add_argument("--mentions", type=Path, required=True, help="from muver link")
    add_inputs(parser, "kb")
    parser.add_argument("--out", type=Path, required=True, help="Parquet file to write")
    parser.add_argument("--manifest", type=Path, required=True, help="its manifest to write")
    add_settings(
        parser,
        '{"per_mention": 3, "first_rank": 1, "margin": null}; margin: how far a negative\'s score '
        "is below the gold's, at least",
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.negatives import mine

    mine(
        args.run_file,
        args.run_manifest,
        args.mentions,
        args.kb,
        args.out,
        args.manifest,
        args.settings,
    )
