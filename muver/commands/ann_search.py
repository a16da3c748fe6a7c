"""muver ann-search: rank a knowledge base's entities for the mentions of a set."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_run, add_settings

HELP = "rank millions of entities for each mention, exactly from shards or by an index of them"
EXAMPLE = """\
muver ann-search --vectors vectors --kb kb --index index/hnsw --mentions msnbc.parquet
  --mention-vectors msnbc.npy --settings '{"split": "msnbc", "k": 100}'
  --run muver.parquet --manifest muver.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "system")
    add_settings(
        parser,
        "split, k (100), rescore, most_views, effort (nprobe or efSearch; null: as checked), "
        "minimum (agreement, 0.995), threads, memory_mb, gpu",
        required=False,
    )
    add_inputs(parser, "vectors", "kb")
    parser.add_argument("--index", type=Path, help="folder of an index; exact search without")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet of the set")
    parser.add_argument(
        "--mention-vectors", type=Path, required=True, help="their vectors, (mentions, d) .npy"
    )
    add_run(parser)


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.ann.runs import retrieve

    retrieve(
        args.vectors,
        args.index,
        args.kb,
        args.mentions,
        args.mention_vectors,
        args.run_file,
        args.manifest,
        args.settings,
    )
