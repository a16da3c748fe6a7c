"""``muver evaluate-linked``: In-KB recall@k of a run on a set of linked mentions."""

import argparse
from pathlib import Path

from muver.commands import add_label, add_settings

HELP = "score a run on an entity-linking benchmark: recall@k of the mentions with gold in the KB"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver evaluate-linked``."""
    add_label(parser, "system and set")
    parser.add_argument("--system", required=True, help="name of the system that made the run")
    parser.add_argument("--dataset", required=True, help="wikipedia, or another name of the KB")
    parser.add_argument("--set", dest="name", required=True, help="the set, such as msnbc")
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="from muver ann-search"
    )
    parser.add_argument("--run-manifest", type=Path, required=True, help="the run's manifest")
    parser.add_argument("--kb", type=Path, required=True, help="folder that `muver kb` wrote")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet from muver link")
    parser.add_argument("--report", type=Path, required=True, help="JSON from muver link")
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
        '{"cutoffs": [10, 30, 100], "row": {...}, "agreement": 0.995}; row: all settings of the '
        "row, with the retrieve section the run must have been made with, and index: null or the "
        "settings of the index it was made with",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.evaluation.linked import evaluate_linked

    evaluate_linked(
        args.system,
        args.dataset,
        args.name,
        args.run_file,
        args.run_manifest,
        args.kb,
        args.mentions,
        args.report,
        args.out,
        args.settings,
        args.encoder,
        args.trec,
    )
