"""``muver grid``: the table of the grid over hyper-parameters."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "compare the points of the grid by their validation recall and choose one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver grid``."""
    parser.add_argument(
        "--logs",
        type=Path,
        nargs="+",
        required=True,
        help="training logs, each named after its point; the rows stand in this order",
    )
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    add_inputs(parser, "counts")
    parser.add_argument(
        "--encoder",
        type=Path,
        help="manifest of the start encoder, whose identity joins each point's settings",
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="CSV file; .md, .tex and .json come beside it"
    )
    add_settings(
        parser,
        '{"model": NAME, "points": {NAME: {"learning_rate": 1e-05, ...}}, '
        '"base": settings of the model, "cutoff": 64}',
    )
    parser.add_argument("--print", action="store_true", help="print the table as well")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.grid.stage import make_grid

    markdown = make_grid(
        args.logs, args.dataset, args.counts, args.out, args.settings, args.encoder
    )
    if args.print:
        print(markdown, end="")
