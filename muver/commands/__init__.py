"""The commands of ``muver``: one module a stage, each a thin layer over plain functions."""

import argparse
from pathlib import Path

from muver.stages.stage import json_object

INPUTS = {
    "entities": "entities.parquet, from `muver corpus`",
    "mentions": "mentions.parquet, from `muver corpus`",
    "counts": "counts.json, from `muver corpus`",
    "sentences": "sentences.parquet, from `muver segment`",
    "model": "model directory",
    "store": "folder that `muver encode` wrote",
    "kb": "folder that `muver kb` wrote",
    "vectors": "folder that `muver encode-part` wrote",
}
FURTHER_VIEWS = {"merged": "merge", "global-views": "encode-global", "spans": "encode-spans"}


def add_label(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--label``, by which progress lines name a ``what`` (model or system)."""
    parser.add_argument("--label", help=f"name of the {what} in progress lines")


def add_settings(parser: argparse.ArgumentParser, text: str, required: bool = True) -> None:
    """Add ``--settings``, a JSON object that ``text`` describes; empty by default."""
    parser.add_argument(
        "--settings", type=json_object, required=required, default={}, metavar="JSON", help=text
    )


def add_inputs(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add the options of :data:`INPUTS` that are named; each is needed."""
    for name in names:
        parser.add_argument(f"--{name}", type=Path, required=True, help=INPUTS[name])


def add_further_views(parser: argparse.ArgumentParser) -> None:
    """Add ``--merged``, ``--global-views`` and ``--spans``, folders that settings may ask for."""
    for name, command in FURTHER_VIEWS.items():
        parser.add_argument(f"--{name}", type=Path, help=f"folder that `muver {command}` wrote")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add ``--run`` (``run_file``: the command itself is ``run``) and ``--manifest``, to write."""
    parser.add_argument(
        "--run", dest="run_file", type=Path, required=True, help="run file to write"
    )
    parser.add_argument("--manifest", type=Path, required=True, help="its manifest to write")
