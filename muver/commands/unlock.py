"""``muver unlock``: let a workflow start again after a run that was killed."""

import argparse

HELP = "remove a lock that a killed run left in a working folder"
EXAMPLE = """\
muver unlock --directory .
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``muver unlock``."""
    parser.add_argument(
        "--directory", default=".", help="the folder that holds .snakemake (default: this one)"
    )


def run(args: argparse.Namespace) -> None:
    """Remove the lock if no living process holds it."""
    from muver.workspace.locking import unlock

    unlock(args.directory)
