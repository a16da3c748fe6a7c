"""muver encoder: the checkpoint that training starts from."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "make or fetch the BERT that both towers start from"
EXAMPLE = """\
muver encoder --source scratch --entities entities.parquet --counts counts.json --out start
  --settings '{"scratch": {"vocabulary": 1500, "layers": 2, "hidden": 128, "heads": 2,
  "intermediate": 512, "positions": 512, "dropout": 0.0, "initializer_range": 0.1}, "seed": 10000}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--source", required=True, help="'scratch', a BERT directory, or a name on the hub"
    )
    add_settings(
        parser,
        """for 'scratch': {"scratch": {...}, "seed": 10000}, as params.yaml has them""",
        required=False,
    )
    parser.add_argument("--entities", type=Path, help="for 'scratch': corpus/entities.parquet")
    parser.add_argument("--counts", type=Path, help="for 'scratch': corpus/counts.json")
    parser.add_argument("--out", type=Path, required=True, help="folder for the BERT directory")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.corpus.schema import read_entities
    from muver.encoders import start
    from muver.encoders.settings import FromScratch
    from muver.io.errors import InputError
    from muver.io.files import read_json
    from muver.io.typed import read

    if args.source != "scratch":
        local = Path(args.source)
        if local.exists():
            start.from_directory(local, args.out)
        else:
            start.from_hub(args.source, args.out)
        return
    if args.entities is None or args.counts is None:
        raise InputError("--source scratch needs --entities and --counts (its vocabulary's texts).")
    settings = read(FromScratch, args.settings)
    counts = read_json(args.counts)["worlds"]
    training = [world for world, count in counts.items() if count["split"] == "train"]
    texts = read_entities(args.entities, training)["text"].to_pylist()
    start.from_scratch(texts, settings.scratch, settings.seed, args.out)
