"""``muver evaluate``: recall@k of a run."""

import argparse

from muver.commands import add_inputs, add_scoring, add_settings

HELP = "score a run: recall@k and its intervals, ranks of the gold entities, TREC files"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver evaluate``."""
    add_scoring(parser, "muver retrieve or bm25")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    add_inputs(parser, "entities", "mentions", "sentences", "counts")
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
