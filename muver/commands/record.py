"""``muver record``: a table's rows, or the grid's points, as MLflow runs."""

import argparse
import json
from pathlib import Path

from muver.commands import add_settings

HELP = "record each row of a table, or each point of the grid, as an MLflow run"
EXAMPLE = """\
muver record --table results/table1.json --evaluations blink.json muver.json
  --runs runs/blink.parquet runs/muver.parquet --settings '{"experiment": "table1"}'
  --out recorded.csv
"""


def artifact(text: str) -> tuple[str, str, Path]:
    """Parse ``SYSTEM=FILE`` to the system, the file's name and the file."""
    system, _, path = text.partition("=")
    if not (system and path):
        raise argparse.ArgumentTypeError(f"expected SYSTEM=FILE, got {text!r}")
    return system, Path(path).name, Path(path)


def benchmark(text: str) -> tuple[str, str, Path]:
    """Parse ``SYSTEM:STAGE=FILE``."""
    name, _, path = text.partition("=")
    system, _, stage = name.partition(":")
    if not (system and stage and path):
        raise argparse.ArgumentTypeError(f"expected SYSTEM:STAGE=FILE, got {text!r}")
    return system, stage, Path(path)


def jobs(text: str) -> list[argparse.Namespace]:
    """Parse ``--jobs``: the arguments of several calls."""
    parser = argparse.ArgumentParser(prog="muver record --jobs", exit_on_error=False)
    add_one(parser)
    try:
        return [parser.parse_args(arguments) for arguments in json.loads(text)]
    except (json.JSONDecodeError, TypeError, argparse.ArgumentError) as error:
        raise argparse.ArgumentTypeError(f"not a list of arguments: {error}") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``muver record``."""
    made = add_one(parser)
    made.add_argument(
        "--jobs",
        type=jobs,
        metavar="JSON",
        help="several tables at once: a list of lists of these arguments",
    )
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="where the rows cannot be recorded say so, leave a file beside --out that tells it, "
        "and end well",
    )


def add_one(parser: argparse.ArgumentParser) -> argparse._MutuallyExclusiveGroup:
    """The options of one table or grid; returns the group of what is recorded."""
    made = parser.add_mutually_exclusive_group(required=True)
    made.add_argument("--table", type=Path, help="JSON that muver table wrote")
    made.add_argument("--grid", type=Path, help="JSON that muver grid wrote")
    parser.add_argument(
        "--evaluations", type=Path, nargs="+", default=[], help="of a table: from muver evaluate"
    )
    parser.add_argument(
        "--runs",
        type=Path,
        nargs="+",
        default=[],
        help="of a table: the runs that the evaluations are of",
    )
    parser.add_argument(
        "--artifacts",
        type=artifact,
        nargs="*",
        default=[],
        metavar="SYSTEM=FILE",
        help="of a table: further files to keep with a system's run, such as its training log",
    )
    parser.add_argument(
        "--benchmarks",
        type=benchmark,
        nargs="*",
        default=[],
        metavar="SYSTEM:STAGE=FILE",
        help="Snakemake's benchmark files: seconds, memory and load of a system's (or of a grid's "
        "point's) stages; those that are not there are passed over",
    )
    parser.add_argument(
        "--figures",
        type=Path,
        nargs="*",
        default=[],
        help="of a table with a sweep: figures to keep with its parent run",
    )
    parser.add_argument(
        "--logs",
        type=Path,
        nargs="+",
        default=[],
        help="of the grid: training logs, each named after its point",
    )
    parser.add_argument(
        "--out", type=Path, help="CSV file (needed): the run and its address of each row key"
    )
    add_settings(
        parser,
        '{"experiment": NAME, "enabled": true, "source": where the dataset comes from, "options": '
        "what follows snakemake to make it again}; by default the name of the table's file",
        required=False,
    )
    return made


def run(args: argparse.Namespace) -> None:
    """Run the stage."""
    from muver.tracking.record import record_all

    record_all(args.jobs or [args], args.keep_going)
