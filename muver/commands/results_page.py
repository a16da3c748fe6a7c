"""``muver results-page``: the page of record from the results of a run."""

import argparse
from pathlib import Path

HELP = "write the page of record, docs/results.md, or some tables of another page, from results"
EXAMPLE = """\
muver results-page --command 'snakemake --cores all results/fidelity.csv' --only fidelity
  --out docs/fidelity.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver results-page``."""
    parser.add_argument(
        "--project", type=Path, default=Path("."), metavar="DIR",
        help="the run's project folder, with results/ and logs/ (default: here)",
    )  # fmt: skip
    parser.add_argument(
        "--command", nargs="+", default=["make results"], metavar="LINE",
        help="what was typed to make the results (default: make results)",
    )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, default=Path("docs/results.md"), metavar="FILE",
        help="page whose section of this dataset is replaced; all else of it stays",
    )  # fmt: skip
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME",
        help="results that the section has (default: all that are in results/)",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.results_page.page import write_page
    from muver.results_page.section import make_section

    dataset, text = make_section(args.project, args.command, args.only)
    write_page(args.out, {dataset: text})
