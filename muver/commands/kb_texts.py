"""``muver kb-texts``: BLINK's texts of a knowledge base's entities."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "find the text of each entity of a knowledge base in BLINK's entity.jsonl"
EXAMPLE = """\
muver kb-texts --kb kb --file entity.jsonl --settings '{"duplicates": "first"}' --out texts
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver kb-texts``."""
    add_inputs(parser, "kb")
    parser.add_argument("--file", type=Path, required=True, help="entity.jsonl")
    parser.add_argument("--out", type=Path, required=True, help="folder of the texts, part by part")
    add_settings(
        parser,
        'bad_lines (100), bad_share (0.001), line_bytes, duplicates ("refuse" or "first"), '
        'expected (null or "blink_entities")',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.texts.write import write_texts

    write_texts(args.file, args.kb, args.out, args.settings)
