"""muver plan: disk, memory and hours of a run before it is begun."""

import argparse
from pathlib import Path

from muver.commands import add_settings
from muver.commands.doctor import add_project, overrides_of

HELP = "print the disk, memory and hours that a run will take, by stage"
EXAMPLE = """\
muver plan --settings '{"indices": ["hnsw"], "devices": 8}' --out plan.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_project(parser)
    add_settings(
        parser,
        "entities, dump_bytes, indices (types to compare), lists, training_views, workers, "
        "devices, rates, seconds; all of them may be left out",
        required=False,
    )
    parser.add_argument(
        "--folder", type=Path, help="where the run will write (build/<dataset> of the project)"
    )
    parser.add_argument("--model", type=Path, help="model or BERT directory: the encoder's sizes")
    parser.add_argument("--kb", type=Path, help="knowledge base, or some parts of one: its sizes")
    parser.add_argument("--dump", type=Path, help="kilt_knowledgesource.json: its size")
    parser.add_argument(
        "--measure", action="store_true", help="measure rates on this machine, in some seconds"
    )
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.estimate.plan import plan

    overrides = {"preset": "wikipedia", **overrides_of(args.config)}
    files = {name: getattr(args, name) for name in ("model", "kb", "dump")}
    where = (args.directory, overrides, args.out, args.folder, args.measure)
    print(plan(args.settings, *where, **files))
