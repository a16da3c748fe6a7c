"""muver ann-check: how far approximate indices agree with exact search."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "measure indices against exact search on a sample, and choose their nprobe or efSearch"
EXAMPLE = """\
muver ann-check --vectors vectors --index index/hnsw --mention-vectors aida-testa.npy
  --settings '{"k": 100, "agreement": 0.995}' --report hnsw.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_settings(
        parser,
        "k (100), mentions (1000, sampled), efforts (of nprobe or efSearch), agreement (0.995), "
        "rescore, most_views, seed, threads, memory_mb, gpu",
        required=False,
    )
    add_inputs(parser, "vectors")
    parser.add_argument(
        "--index", type=Path, nargs="+", required=True, help="folders of indices of the shards"
    )
    parser.add_argument(
        "--mention-vectors",
        type=Path,
        required=True,
        help="from `muver encode-mentions`",
    )
    parser.add_argument(
        "--report", type=Path, help="JSON file to write the measurements to as well"
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.io.files import write_json
    from muver.retrieval.ann.check import check_indices
    from muver.retrieval.ann.settings import CHECK, check
    from muver.vectors.mentions import read_mentions
    from muver.vectors.shards import Shards

    settings = check(args.settings, CHECK)
    shards = Shards(args.vectors)
    mentions = read_mentions(args.mention_vectors, shards)
    measured = check_indices(args.index, shards, mentions, settings)
    if args.report is not None:
        write_json(args.report, measured)
