"""``muver evaluate``: recall@k of a run."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings

HELP = "score a run: recall@k and its intervals, ranks of the gold entities, TREC files"
EXAMPLE = """\
muver evaluate --system muver --dataset miniwikia --set test --run muver.parquet
  --run-manifest muver.json --mentions mentions.parquet --entities entities.parquet
  --sentences sentences.parquet --counts counts.json --settings '{"cutoffs": [1, 64],
  "resample": "documents", "row": {"system": "muver", "retrieve": {"k": 64, "match": "title"}}}'
  --out evaluations/muver.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver evaluate``."""
    add_label(parser, "system and set")
    parser.add_argument("--system", required=True, help="name of the system that made the run")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--set", dest="name", required=True, help="a split, or a set such as msnbc")
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True,
        help="from muver retrieve, bm25, fuse or ann-search",
    )  # fmt: skip
    parser.add_argument("--run-manifest", type=Path, required=True, help="the run's manifest")
    parser.add_argument(
        "--mentions", type=Path, required=True, help="Parquet from muver corpus or muver link"
    )
    worlds = parser.add_argument_group("for worlds")
    add_inputs(worlds, "entities", "sentences", "counts", required=False)
    base = parser.add_argument_group("for a knowledge base, in their place")
    add_inputs(base, "kb", required=False)
    base.add_argument("--report", type=Path, help="JSON from muver link")
    parser.add_argument(
        "--encoder", type=Path,
        help="manifest of the start encoder, whose identity joins the row's settings",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, required=True,
        help="JSON file to write; the gold entities' ranks go beside it, as .parquet",
    )  # fmt: skip
    parser.add_argument(
        "--trec", type=Path, metavar="DIR", help="folder for SYSTEM.run and SYSTEM.qrels"
    )
    add_settings(
        parser,
        '{"cutoffs": [1, ...], "resample": "documents", "row": {...}, "agreement": 0.995}; row: '
        "all settings of the row, with the retrieve section that the run must have been made with, "
        "and index: null or the settings of its index; agreement: what an index needs",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.evaluation.gold import gold_of_kb, gold_of_worlds
    from muver.evaluation.settings import Scoring
    from muver.evaluation.stage import evaluate
    from muver.io.errors import InputError
    from muver.io.typed import read

    settings = read(Scoring, args.settings)
    of_worlds = args.entities, args.sentences, args.counts
    if args.kb and args.report and not any(of_worlds):
        gold = gold_of_kb(args.name, args.kb, args.mentions, args.report)
    elif all(of_worlds) and not (args.kb or args.report):
        entities, sentences, counts = of_worlds
        gold = gold_of_worlds(args.dataset, args.name, entities, args.mentions, sentences, counts)
    else:
        raise InputError(
            "needs --entities, --sentences and --counts for worlds, or --kb and --report for a "
            "knowledge base."
        )
    evaluate(
        args.system,
        args.dataset,
        args.name,
        args.run_file,
        args.run_manifest,
        gold,
        args.out,
        settings,
        args.encoder,
        args.trec,
    )
