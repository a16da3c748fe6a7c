"""muver prune: remove what a changed params.yaml no longer asks for."""

import argparse
import shutil
from pathlib import Path

HELP = "remove from a folder the results of models or systems that are no longer asked for"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--folder", type=Path, required=True, help="folder to prune")
    parser.add_argument("--keep", nargs="*", default=[], help="names (without suffix) to keep")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.errors import InputError
    from muver.progress import logger

    if not args.folder.is_dir():
        raise InputError(f"{args.folder}: no such folder.")
    for path in sorted(args.folder.iterdir()):
        if path.name.partition(".")[0] in args.keep:
            continue
        logger.info("removing %s", path)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
