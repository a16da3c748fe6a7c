"""``muver evaluate``: recall@k of a run."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "score a run: recall@k and its intervals, ranks of the gold entities, TREC files"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver evaluate``."""
    parser.add_argument("--system", required=True, help="name of the system that made the run")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="from muver retrieve or bm25"
    )
    parser.add_argument("--run-manifest", type=Path, required=True, help="the run's manifest")
    add_inputs(parser, "entities", "mentions", "sentences", "counts")
    parser.add_argument(
        "--encoder",
        type=Path,
        help="manifest of the start encoder, whose identity joins the row's settings",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="JSON file to write; the gold entities' ranks go beside it, as .parquet",
    )
    parser.add_argument(
        "--trec", type=Path, metavar="DIR", help="folder for SYSTEM.run and SYSTEM.qrels"
    )
    add_settings(
        parser,
        '{"cutoffs": [1, ...], "row": {...}}; row: all settings of the row, with the '
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
        args.sentences,
        args.counts,
        args.out,
        args.settings,
        args.encoder,
        args.trec,
    )
