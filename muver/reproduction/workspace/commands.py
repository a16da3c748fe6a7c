"""The environment's commands, for the jobs that call them."""

import os
import shutil
import sys
from pathlib import Path


def find_commands() -> None:
    """Let jobs of ``.venv/bin/snakemake`` find muver although nobody activated the environment."""
    if not shutil.which("muver"):
        commands = str(Path(sys.executable).parent)
        os.environ["PATH"] = os.pathsep.join([commands, os.environ.get("PATH", os.defpath)])


def run_code_of(folder: Path) -> None:
    """Let jobs run the package of a folder, if it is the present one, before any that is installed.

    To a machine without the clone Snakemake brings its sources, and an image has its own.
    """
    if folder == Path.cwd():
        others = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *([others] if others else [])])
