"""``muver evaluate-linked``: In-KB recall@k of a run on a set of linked mentions."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_scoring, add_settings

HELP = "score a run on an entity-linking benchmark: recall@k of the mentions with gold in the KB"
EXAMPLE = """\
muver evaluate-linked --system muver --dataset wikipedia --set msnbc --kb kb
  --run muver.parquet --run-manifest muver.json --mentions msnbc.parquet --report msnbc.json
  --settings '{"cutoffs": [10, 30, 100], "row": {"system": "muver", "retrieve": {"k": 100,
  "match": "id"}, "index": null}}' --out evaluations/muver.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver evaluate-linked``."""
    add_label(parser, "system and set")
    add_scoring(parser, "muver ann-search")
    parser.add_argument("--dataset", required=True, help="wikipedia, or another name of the KB")
    parser.add_argument("--set", dest="name", required=True, help="the set, such as msnbc")
    add_inputs(parser, "kb")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet from muver link")
    parser.add_argument("--report", type=Path, required=True, help="JSON from muver link")
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
