"""``muver grid``: the table of the grid over hyper-parameters."""

import argparse
from pathlib import Path

from muver.commands import add_inputs, add_settings

HELP = "compare the points of the grid by their validation recall and choose one"
EXAMPLE = """\
muver grid --logs grid/lr1e-05_wd0.01_wu0.1_bs32.jsonl grid/lr5e-05_wd0.01_wu0.1_bs32.jsonl
  --settings '{"model": "muver", "points": {
  "lr1e-05_wd0.01_wu0.1_bs32":
  {"learning_rate": 1e-5, "weight_decay": 0.01, "warmup": 0.1, "batch_size": 32},
  "lr5e-05_wd0.01_wu0.1_bs32":
  {"learning_rate": 5e-5, "weight_decay": 0.01, "warmup": 0.1, "batch_size": 32}},
  "base": {"training": {"validation_cutoff": 64}}}'
  --dataset miniwikia --counts counts.json --out results/grid.csv
"""


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
        '{"model": NAME, "points": {NAME: {"learning_rate": 1e-05, "weight_decay": 0.01, '
        '"warmup": 0.1, "batch_size": 32}, ...}, '
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
