"""`muver`, `snakemake` and `dvc` without their start: a process with the libraries copies itself.

The workflow's tests call hundreds of commands, which would spend more time on importing PyTorch,
Snakemake, DVC and MLflow than on their work. A server imports them once. What lies in bin/ asks it
for a copy (a fork) that runs the command in the caller's folder, with its environment and streams.
The copy imports the package itself, from the caller's PYTHONPATH, and is killed if the caller ends
before it.

That the commands start by themselves is tested elsewhere, by the killed run, tests/walk and
tests/test_cli.py; so is that no order hangs on the hash seed, which all copies share.
"""

import functools
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.workflow.warm.client import SERVER

BIN = str(Path(__file__).with_name("bin"))


@functools.cache
def start() -> dict[str, str]:
    """Start the server, one for all processes of a test run; variables that lead to it."""
    run = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    name = f"muver-tests-{run}"
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE", "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, Path(__file__).with_name("server.py"), name, str(run)]
    server = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
    with socket.socket(socket.AF_UNIX) as probe:
        while probe.connect_ex(f"\0{name}"):
            assert not server.poll(), "the server ended"  # with 0 where there is one already
            time.sleep(0.1)
    return {SERVER: name}
