"""Tests of the commands."""

from muver.cli import build_parser


def call(stage: str, *arguments: object) -> None:
    """Run a stage with the arguments of its command line; mistakes are raised."""
    args = build_parser([stage]).parse_args([stage, *map(str, arguments)])
    args.do(args)
