"""muver index: what a retriever needs, in one file."""

import argparse
import os
from pathlib import Path

from muver.commands import add_further_views, add_inputs, add_settings

HELP = "write an index: the file that muver.Retriever opens"
EXAMPLE = """\
muver index --model models/muver --store store --merged merged --entities entities.parquet
  --settings '{"split": "test", "k": 64, "match": "title", "memory_mb": 256, "aggregate": "max",
  "metric": "dot", "merge_layers": 4, "search": "distant", "global_view": false, "spans": false}'
  --out muver.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_settings(parser, "the row's retrieval settings as JSON")
    add_inputs(parser, "model", "store", "entities")
    add_further_views(parser)
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.io.files import write_manifest
    from muver.io.typed import read
    from muver.retrieval.kinds.views import Settings
    from muver.retrieval.layers import PLACES, SystemViews

    settings = read(Settings, args.settings)
    given = {name: path for name in PLACES if (path := getattr(args, name)) is not None}
    SystemViews(settings, **given)  # says what is missing or belongs to another store
    # Relative to the index, so that the folder can be moved as a whole.
    places = {
        name: os.path.relpath(path, args.out.parent)
        for name, path in {"model": args.model, **given, "entities": args.entities}.items()
    }
    write_manifest(args.out, "index", settings.as_dict(), {}, **places)
