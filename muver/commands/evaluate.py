"""``muver evaluate``: recall@k of a run."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "score a run: recall@k over all mentions and by world"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver evaluate``."""
    parser.add_argument("--system", required=True, help="name of the system that made the run")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="from muver retrieve or bm25"
    )
    parser.add_argument("--run-manifest", type=Path, required=True, help="the run's manifest")
    parser.add_argument("--entities", type=Path, required=True, help="from muver corpus")
    parser.add_argument("--mentions", type=Path, required=True, help="from muver corpus")
    parser.add_argument("--counts", type=Path, required=True, help="from muver corpus")
    parser.add_argument(
        "--encoder",
        type=Path,
        help="manifest of the start encoder, whose identity joins the row's settings",
    )
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")
    parser.add_argument(
        "--settings",
        type=json_settings,
        required=True,
        metavar="JSON",
        help='{"cutoffs": [1, ...], "row": {...}}; row: all settings of the row, with the '
        "retrieve section the run must have been made with",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.evaluation.stage import evaluate

    evaluate(
        args.system,
        args.dataset,
        args.run_file,
        args.run_manifest,
        args.entities,
        args.mentions,
        args.counts,
        args.out,
        args.settings,
        args.encoder,
    )
