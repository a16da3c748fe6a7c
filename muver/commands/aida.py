"""``muver aida``: the AIDA corpus as published, to JSON lines."""

import argparse
from pathlib import Path

HELP = "convert the published AIDA CoNLL-YAGO file to BLINK's JSON lines"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver aida``."""
    parser.add_argument(
        "--tsv", type=Path, required=True, help="AIDA-YAGO2-dataset.tsv, made by its program"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="gets aida-{train,testa,testb}.jsonl, counts.json"
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.linking.aida import convert_aida

    convert_aida(args.tsv, args.out)
