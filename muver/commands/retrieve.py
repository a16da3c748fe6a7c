"""muver retrieve: rank entities for the mentions of a split."""

import argparse
from pathlib import Path

from muver.commands import (
    INPUTS,
    add_further_views,
    add_inputs,
    add_label,
    add_run,
    add_settings,
)
from muver.stages.stage import json_object

HELP = "rank entities for each mention, from a view store or (SOM) straight from a model"
EXAMPLE = """\
muver retrieve --store store --merged merged --entities entities.parquet
  --mentions mentions.parquet --settings '{"aggregate": "softmax_sum", "merge_layers": 4}'
  --run muver.parquet --manifest muver.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "system")
    add_settings(parser, "the row's retrieval settings as JSON")
    parser.add_argument(
        "--compute", type=json_object, default={}, help="needed with --model: section 'compute'"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--store", type=Path, help=INPUTS["store"])
    source.add_argument(
        "--model", type=Path, help="model directory whose token vectors are compared"
    )
    add_further_views(parser)
    add_inputs(parser, "entities", "mentions")
    parser.add_argument("--sentences", type=Path, help="needed with --model")
    add_run(parser)


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.io.errors import InputError

    corpus = (args.entities, args.mentions)
    results = (args.run_file, args.manifest, args.settings)
    if args.store is not None:
        from muver.retrieval.from_store import retrieve_from_store

        retrieve_from_store(
            args.store,
            args.merged,
            *corpus,
            *results,
            global_views=args.global_views,
            spans=args.spans,
        )
    elif args.sentences is None or not args.compute:
        raise InputError("--model needs --sentences and --compute.")
    else:
        from muver.retrieval.over_tokens import retrieve_over_tokens

        retrieve_over_tokens(args.model, *corpus, args.sentences, *results, args.compute)
