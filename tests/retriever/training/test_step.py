"""The step under two processes: the gradients of one."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from accelerate import Accelerator

from tests.retriever.training import two_processes


@pytest.fixture(scope="module")
def found(encoder, tmp_path_factory) -> list[dict]:
    """What each of the two processes found."""
    out = tmp_path_factory.mktemp("processes")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    subprocess.run(
        [sys.executable, "-m", "tests.retriever.training.two_processes", str(encoder), str(out)],
        cwd=Path(__file__).parents[3],
        env={
            **os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true", "WORLD_SIZE": "2",
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        },
        check=True,
        timeout=200,
    )  # fmt: skip
    return [torch.load(out / f"{rank}.pt") for rank in (0, 1)]


@pytest.mark.parametrize("case", two_processes.CASES)
def test_gradients_are_those_of_one_process(encoder, found, case):
    alone = two_processes.step(case, encoder, Accelerator(cpu=True))
    greatest = max(gradient.abs().max() for gradient in alone.values())
    assert greatest > 0
    for ours in found:
        for name, gradient in alone.items():
            assert (ours[case][name] - gradient).abs().max() <= 1e-5 * greatest, name
