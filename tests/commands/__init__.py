"""Tests of the commands."""

from muver.cli import run
from muver.commands import COMMANDS, STAGE


def call(name: str, *arguments: object) -> None:
    """Run a command, or a stage of the workflow by its name; mistakes are raised."""
    run(COMMANDS.get(name) or COMMANDS[f"{STAGE}{name}"], [*map(str, arguments)])
