"""``muver figure``: a figure of the paper, with our numbers."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "draw a figure: errors by length of description, recall by number of views"
EXAMPLE = """\
muver figure --name figure2 --evaluations blink.json muver.json --out results/figure2.csv
  --figures results/figures --settings '{"rows": [{"method": "BLINK", "system": "blink"},
  {"method": "MuVER", "system": "muver"}], "cutoff": 64, "bin": 5, "last": 100}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver figure``."""
    parser.add_argument(
        "--name",
        required=True,
        choices=["figure2", "table3"],
        help="figure2: from evaluations; table3: the drawing that belongs to Table 3",
    )
    parser.add_argument(
        "--evaluations",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="figure2: two JSON files from muver evaluate, with the ranks beside each",
    )
    parser.add_argument("--table", type=Path, metavar="FILE", help="table3: its JSON")
    parser.add_argument("--out", type=Path, help="figure2: CSV file; .json comes beside it")
    parser.add_argument(
        "--figures", type=Path, required=True, metavar="DIR", help="folder for the .svg and .png"
    )
    add_settings(
        parser,
        'figure2: {"rows": [{"method": "BLINK", "system": "blink"}, {...}], "cutoff": 64, '
        '"bin": 5, "last": 100}',
        required=False,
    )


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.figures.stage import draw_table3, make_figure2
    from muver.io.errors import InputError

    if args.name == "figure2":
        if args.evaluations is None or args.out is None:
            raise InputError("--name figure2 needs --evaluations and --out.")
        make_figure2(args.evaluations, args.out, args.figures, args.settings)
    else:
        if args.table is None:
            raise InputError("--name table3 needs --table, the JSON that muver table wrote.")
        draw_table3(args.table, args.figures)
