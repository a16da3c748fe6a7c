"""``muver evaluate``: recall@k of a run."""

import argparse

from muver.commands import add_inputs, add_scoring, add_settings

HELP = "score a run: recall@k and its intervals, ranks of the gold entities, TREC files"
EXAMPLE = """\
muver evaluate --system muver --dataset miniwikia --run muver.parquet --run-manifest muver.json
  --entities entities.parquet --mentions mentions.parquet --sentences sentences.parquet
  --counts counts.json --settings '{"cutoffs": [1, 64], "row": {"system": "muver",
  "retrieve": {"split": "test", "k": 64, "match": "title"}}}' --out evaluations/muver.json
"""


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
