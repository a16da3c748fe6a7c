"""``muver link``: a benchmark's mentions with their entities in the knowledge base."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "match the mentions of an entity-linking benchmark to the knowledge base"
EXAMPLE = """\
muver link --set msnbc --file msnbc.conll --kb kb --settings '{"expected": "blink_benchmarks"}'
  --mentions msnbc.parquet --report msnbc.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver link``."""
    parser.add_argument("--set", dest="name", required=True, help="such as aida-testb or msnbc")
    parser.add_argument(
        "--file",
        type=Path,
        required=True,
        help="BLINK's JSON lines, or one token a line (CoNLL)",
    )
    parser.add_argument(
        "--below", type=Path, metavar="DIR", help="--file is in some folder of this one"
    )
    add_inputs(parser, "kb")
    parser.add_argument("--mentions", type=Path, required=True, help="Parquet file to write")
    parser.add_argument("--report", type=Path, required=True, help="JSON file to write")
    add_settings(
        parser,
        '{"context_tokens": 128, "expected": null, "match": "id", "shown": 100, "format": null, '
        '"part": null}; expected: a source whose published number of mentions must be met, such as '
        "blink_benchmarks; match: how gold entities are found, id or id_or_title; format: blink or "
        "conll, null tells it by the file's ending; part: train, testa or testb of AIDA's file",
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.linking.build import link_set

    link_set(args.name, args.file, args.kb, args.mentions, args.report, args.settings, args.below)
