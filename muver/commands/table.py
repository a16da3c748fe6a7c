"""``muver table``: a table from evaluations."""

import argparse
from pathlib import Path

from muver.commands import add_settings

HELP = "make a table, the paper's or our own, from evaluations"
EXAMPLE = """\
muver table --name table1 --evaluations blink.json muver.json --out results/table1.csv
  --settings '{"rows": [{"method": "BLINK", "system": "blink"}, {"method": "MuVER",
  "system": "muver"}], "against": "blink"}'
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver table``."""
    parser.add_argument(
        "--name",
        required=True,
        help="table1 to table6, or another name for a comparison of rows whose "
        "settings have a caption",
    )
    parser.add_argument(
        "--evaluations",
        type=Path,
        nargs="*",
        default=[],
        help="JSON files from muver evaluate, one a system and set, with the ranks beside each; "
        "table4, table5: none",
    )
    parser.add_argument(
        "--counts",
        type=Path,
        help="from muver corpus: what table4 is made of; tells others of worlds without mentions",
    )
    parser.add_argument(
        "--encoder", type=Path, help="table5: directory of the encoder in use, for its own row"
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="CSV file; .md, .html, .tex and .json come beside it",
    )
    add_settings(
        parser,
        '{"rows": [{"method": "BM25", "system": "bm25", "repeats": [...]}, ...], "against": '
        'SYSTEM} in the table\'s order; table2: also "sets"; table3: rows with merge_layers and '
        'search, "cutoff"; table4: "source"',
        required=False,
    )
    parser.add_argument("--print", action="store_true", help="print the table as well")


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.tables.stage import make_table

    markdown = make_table(
        args.name, args.evaluations, args.out, args.settings, args.counts, args.encoder
    )
    if args.print:
        print(markdown, end="")
