"""``muver corpus``: raw files checked and brought into the canonical form."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "check a dataset in ZESHEL's format and write its entities, mentions and counts"
EXAMPLE = """\
muver corpus --name miniwikia --raw build/miniwikia/raw --settings '{"context_tokens": 128}'
  --entities entities.parquet --mentions mentions.parquet --counts counts.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver corpus``."""
    parser.add_argument("--name", required=True, help="the dataset's name, for the counts")
    parser.add_argument(
        "--raw", type=Path, required=True, help="folder with documents/ and mentions/"
    )
    parser.add_argument("--entities", type=Path, required=True, help="Parquet file to write")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet file to write")
    parser.add_argument("--counts", type=Path, required=True, help="JSON file to write")
    add_settings(
        parser,
        "context_tokens, and if need be expected: a source whose published counts must be met",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.build import build_corpus
    from muver.corpus.settings import BuildCorpus
    from muver.io.typed import read

    settings = read(BuildCorpus, args.settings)
    build_corpus(args.name, args.raw, args.entities, args.mentions, args.counts, settings)
