"""muver prune: remove what a changed params.yaml no longer asks for."""

import argparse
from pathlib import Path

HELP = "remove from a folder the results of models or systems that are no longer asked for"
EXAMPLE = """\
muver prune --folder build/miniwikia/stores/test --keep muver blink_128
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--folder", type=Path, required=True, help="folder to prune; made if there is none"
    )
    parser.add_argument(
        "--keep",
        nargs="*",
        default=[],
        metavar="PATH",
        help="what to keep: files without suffix, or folders, below the folder",
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.io.pruning import prune

    prune(args.folder, args.keep)
