"""``muver bm25``: rank entities by the words they share with a mention."""

import argparse

from muver.commands import add_inputs, add_run, add_settings

HELP = "rank entities for each mention with BM25"
EXAMPLE = """\
muver bm25 --entities entities.parquet --mentions mentions.parquet
  --settings '{"k1": 1.2, "b": 0.75, "query": "mention"}' --run bm25.parquet --manifest bm25.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver bm25``."""
    add_inputs(parser, "entities", "mentions")
    add_run(parser)
    add_settings(
        parser,
        '{"k1": 1.2, "b": 0.75, "method": "lucene", "query": "mention" or '
        '"mention_and_context", "stopwords": null or "en", "document_tokens": null, '
        '"split": "test", "k": 64, "match": "title" or "id"}',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.retrieval.bm25 import retrieve_bm25

    retrieve_bm25(args.entities, args.mentions, args.run_file, args.manifest, args.settings)
