"""muver retrieve: rank entities for the mentions of a split."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "rank entities for each mention, from a view store or (SOM) straight from a model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--label", help="name of the system in progress lines")
    parser.add_argument(
        "--settings", type=json_settings, required=True, help="the row's retrieval settings as JSON"
    )
    parser.add_argument(
        "--compute", type=json_settings, default={}, help="needed with --model: section 'compute'"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--store", type=Path, help="folder that `muver encode` wrote")
    source.add_argument(
        "--model", type=Path, help="model directory whose token vectors are compared"
    )
    parser.add_argument("--merged", type=Path, help="folder that `muver merge` wrote")
    parser.add_argument("--global-views", type=Path, help="folder that `muver encode-global` wrote")
    parser.add_argument("--spans", type=Path, help="folder that `muver encode-spans` wrote")
    parser.add_argument("--entities", type=Path, required=True)
    parser.add_argument("--mentions", type=Path, required=True)
    parser.add_argument("--sentences", type=Path, help="needed with --model")
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="run file to write"
    )
    parser.add_argument("--manifest", type=Path, required=True, help="its manifest to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
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
        from muver.errors import InputError

        raise InputError("--model needs --sentences and --compute.")
    else:
        from muver.retrieval.over_tokens import retrieve_over_tokens

        retrieve_over_tokens(args.model, *corpus, args.sentences, *results, args.compute)
