"""muver plan: what a run on Wikipedia will take."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "print the disk, memory and hours that a run on Wikipedia will take, by stage"
EXAMPLE = """\
muver plan --settings '{"dtype": "fp16", "indices": ["hnsw"], "devices": 8}' --out plan.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_settings(
        parser,
        "entities, paragraphs, dump_bytes, models (their views), encoder (sizes), dtype, indices, "
        "mentions, workers, devices, rates, ... (the full run by default)",
        required=False,
    )
    parser.add_argument(
        "--folder", type=Path, default=Path("build"), help="where the run will write (build)"
    )
    parser.add_argument(
        "--model", type=Path, help="model or BERT directory: its sizes, and what is measured"
    )
    parser.add_argument("--kb", type=Path, help="knowledge base, or some parts of one: its sizes")
    parser.add_argument("--dump", type=Path, help="kilt_knowledgesource.json: its size")
    parser.add_argument(
        "--measure", action="store_true", help="measure rates on this machine, in some seconds each"
    )
    parser.add_argument("--out", type=Path, required=True, help="JSON file to write")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.plan.stage import plan

    print(plan(args.settings, args.folder, args.out, args.model, args.kb, args.dump, args.measure))
