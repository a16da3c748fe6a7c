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
