"""``muver kb-subset``: the entities and mentions that training over a knowledge base reads."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "take from a knowledge base the entities that training and its validation need"
EXAMPLE = """\
muver kb-subset --kb kb --train aida-train.parquet --val aida-testa.parquet
  --negatives negatives.parquet --settings '{"further": 1000}' --out training
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver kb-subset``."""
    add_inputs(parser, "kb")
    parser.add_argument("--train", type=Path, required=True, help="mentions, from muver link")
    parser.add_argument("--val", type=Path, required=True, help="mentions, from muver link")
    parser.add_argument(
        "--negatives", type=Path, help="of the training mentions, from muver negatives"
    )
    parser.add_argument(
        "--texts",
        type=Path,
        help="folder that `muver kb-texts` wrote, for a model whose views name it",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="folder for entities, mentions, sentences and negatives (.parquet), counts.json and "
        "manifest.json",
    )
    add_settings(
        parser,
        '{"further": 0, "seed": 0}; further: entities drawn from the rest of the base, as more '
        "candidates in validation",
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.linking.subset import write_subset

    tables = args.train, args.val, args.negatives
    write_subset(args.kb, *tables, args.out, args.settings, args.texts)
