"""muver encoder: the checkpoint that training starts from."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "make or fetch the BERT that both towers start from"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--source", required=True, help="'scratch', a BERT directory, or a name on the hub"
    )
    add_settings(parser, "for 'scratch': the sections 'scratch' and 'seed' as JSON", required=False)
    parser.add_argument("--entities", type=Path, help="for 'scratch': corpus/entities.parquet")
    parser.add_argument("--counts", type=Path, help="for 'scratch': corpus/counts.json")
    parser.add_argument("--out", type=Path, required=True, help="folder for the BERT directory")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.schema import read_entities
    from muver.encoders import start
    from muver.errors import InputError
    from muver.files import read_json

    if args.source != "scratch":
        local = Path(args.source)
        if local.exists():
            start.from_directory(local, args.out)
        else:
            start.from_hub(args.source, args.out)
        return
    if args.entities is None or args.counts is None:
        raise InputError("--source scratch needs --entities and --counts (its vocabulary's texts).")
    counts = read_json(args.counts)["worlds"]
    training = [world for world, count in counts.items() if count["split"] == "train"]
    texts = read_entities(args.entities, training)["text"].to_pylist()
    start.from_scratch(texts, args.settings["scratch"], args.settings["seed"], args.out)
