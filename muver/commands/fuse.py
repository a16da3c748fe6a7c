"""muver fuse: one run from several."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_run, add_settings

HELP = "fuse runs of several systems into one, by ranks or by weighted scores"
EXAMPLE = """\
muver fuse --runs muver.parquet bm25.parquet --entities entities.parquet
  --mentions mentions.parquet --settings '{"parts": ["muver", "bm25"], "kind": "reciprocal_rank",
  "constant": 60}' --run fused.parquet --manifest fused.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "system")
    add_settings(
        parser,
        '{"split": "test", "k": 64, "match": "title" or "id", "parts": [systems of the runs], '
        '"kind": "reciprocal_rank" or "weighted", "constant": 60, "weights": [0.0, ...], '
        '"cutoff": 64}',
    )
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        required=True,
        help="runs to fuse; the one whose views are kept stands first",
    )
    parser.add_argument(
        "--validation-runs",
        type=Path,
        nargs="+",
        default=[],
        help="weighted: the same systems' runs on validation, where the weight is chosen",
    )
    add_inputs(parser, "entities", "mentions")
    add_run(parser)


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.fusion import fuse

    fuse(
        args.runs,
        args.validation_runs,
        args.entities,
        args.mentions,
        args.run_file,
        args.manifest,
        args.settings,
    )
