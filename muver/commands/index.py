"""muver index: what a retriever needs, in one file."""

import argparse
import os
from pathlib import Path

from muver.commands import json_settings

HELP = "write an index: the file that muver.Retriever opens"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--settings", type=json_settings, required=True, help="the row's retrieval settings as JSON"
    )
    parser.add_argument("--model", type=Path, required=True, help="model directory")
    parser.add_argument(
        "--store", type=Path, required=True, help="folder that `muver encode` wrote"
    )
    parser.add_argument("--merged", type=Path, help="folder that `muver merge` wrote")
    parser.add_argument("--entities", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.errors import InputError
    from muver.files import write_manifest

    if args.settings.get("merge_layers") and args.merged is None:
        raise InputError("--merged is needed where settings.merge_layers is not 0.")
    # Relative to the index, so that the folder can be moved as a whole.
    places = {
        name: os.path.relpath(path, args.out.parent)
        for name in ("model", "store", "merged", "entities")
        if (path := getattr(args, name)) is not None
    }
    write_manifest(args.out, "index", args.settings, {}, **places)
