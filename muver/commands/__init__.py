"""Commands that are no plain entry of :mod:`muver.stages`: they declare their own options."""

import argparse
from pathlib import Path

from muver.stages.stage import Merge, json_object


def add_label(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--label``, by which progress lines name a ``what`` (model or system)."""
    parser.add_argument("--label", help=f"name of the {what} in progress lines")


def add_settings(parser: argparse.ArgumentParser, text: str, required: bool = True) -> None:
    """Add ``--settings``, a JSON object that ``text`` describes; empty by default."""
    parser.add_argument(
        "--settings", type=json_object, nargs="+", action=Merge, required=required, default={},
        metavar="JSON", help=text,
    )  # fmt: skip


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add ``--run`` (``run_file``: the command itself is ``run``) and ``--manifest``, to write."""
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="run file to write"
    )
    parser.add_argument("--manifest", type=Path, required=True, help="its manifest to write")
