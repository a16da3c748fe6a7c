"""muver ann-build: an approximate index of a knowledge base's views."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_label, add_settings

HELP = "build a faiss index of the views of a knowledge base, from shards on disk"
EXAMPLE = """\
muver ann-build --vectors vectors --settings '{"factory": "hnsw", "gpu": false}' --out index/hnsw
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_label(parser, "index")
    add_settings(
        parser,
        "factory (ivf_sq, ivf_sq8, opq_ivf_pq, hnsw, hnsw_sq, or a faiss string), lists, "
        "product, centre, training_views, ef_construction, seed, threads, memory_mb, gpu",
        required=False,
    )
    add_inputs(parser, "vectors")
    parser.add_argument("--out", type=Path, required=True, help="folder of the index")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.ann.index import build
    from muver.retrieval.ann.settings import BUILD, check
    from muver.vectors.shards import Shards

    settings = check(args.settings, BUILD)
    build(Shards(args.vectors), args.out, settings)
