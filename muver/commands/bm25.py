"""``muver bm25``: rank entities by the words they share with a mention."""

import argparse
from pathlib import Path

from muver.commands import json_settings

HELP = "rank entities for each mention with BM25"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver bm25``."""
    parser.add_argument("--entities", type=Path, required=True, help="from muver corpus")
    parser.add_argument("--mentions", type=Path, required=True, help="from muver corpus")
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="Parquet file to write"
    )
    parser.add_argument("--manifest", type=Path, required=True, help="its manifest to write")
    parser.add_argument(
        "--settings",
        type=json_settings,
        default={},
        metavar="JSON",
        help='{"k1": 1.2, "b": 0.75, "method": "lucene", "query": "mention" or '
        '"mention_and_context", "stopwords": null or "en", "document_tokens": null, '
        '"split": "test", "k": 64, "match": "title" or "id"}',
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.bm25 import retrieve_bm25

    retrieve_bm25(args.entities, args.mentions, args.run_file, args.manifest, args.settings)
