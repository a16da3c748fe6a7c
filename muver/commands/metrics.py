"""``muver metrics``: results as files for `dvc metrics` and `dvc plots`."""

import argparse
from pathlib import Path

HELP = "write the numbers and curves of results as DVC compares them"
EXAMPLE = """\
muver metrics --tables results/table1.json --curves results/figure2.json
  --metrics results/metrics --plots results/plots
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver metrics``."""
    parser.add_argument(
        "--tables",
        type=Path,
        nargs="*",
        default=[],
        metavar="FILE",
        help="JSON of tables of recall",
    )
    parser.add_argument(
        "--curves", type=Path, nargs="*", default=[], metavar="FILE", help="JSON of what is drawn"
    )
    parser.add_argument(
        "--metrics", type=Path, required=True, metavar="DIR",
        help="folder for <result>/<row>.json; anything else in it is removed",
    )  # fmt: skip
    parser.add_argument(
        "--plots", type=Path, required=True, metavar="DIR",
        help="folder for <result>.csv; anything else in it is removed",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.metrics.stage import write_metrics

    write_metrics(args.tables, args.curves, args.metrics, args.plots)
