"""Memory used again by the next step, and a step that a GPU does not hold: what is asked for."""

import platform
import subprocess
import sys

import pytest

from muver.io.errors import InputError
from muver.retriever.training.memory import fewer_graph_tokens

BATCH = [[1] * 30, [1] * 50, [1] * 20]  # 100 tokens
STEPS = """
import resource, sys, torch
from muver.retriever.training.memory import keep_freed_memory
if "keep" in sys.argv:
    keep_freed_memory()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    states = [torch.ones(250_000 * (1 + layer % 3)) for layer in range(40)]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
first, *others = [faults() for _ in range(4)]
print(sum(others) / len(others) / first)
"""


def page_faults(*arguments: str) -> float:
    """Of a step that frees all it has computed, as a share of those of the first step."""
    command = [sys.executable, "-c", STEPS, *arguments]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_freed_memory_is_used_again():
    kept = page_faults("keep")
    assert kept < 0.1
    assert page_faults() > 2 * kept  # how much goes back to the kernel differs from run to run


def test_a_batch_whose_activations_do_not_fit_is_encoded_twice(caplog):
    with caplog.at_level("WARNING", logger="muver"):
        assert fewer_graph_tokens(BATCH, 60, 1000, 1) == 50
        assert fewer_graph_tokens(BATCH, 60, 100, 1) == 50
    assert [record.args for record in caplog.records] == [(100, 50, 50)] * 2


@pytest.mark.parametrize(
    "chunk_tokens, graph_tokens, processes, message",
    [
        (120, 99, 1, "Set training.chunk_tokens, now 120, to 60:"),
        (60, 0, 1, "Set training.chunk_tokens, now 60, to 50:"),  # the longest sequence
        (50, 0, 1, r"passes of one sequence \(50 tokens\). End what else"),
        (60, 1000, 2, r"Lower training.graph_tokens \(now 1000; 0 keeps no activations\)"),
        (60, 0, 2, r"then training.chunk_tokens \(now 60\)"),
    ],
)
def test_what_is_asked_for(chunk_tokens, graph_tokens, processes, message):
    with pytest.raises(InputError, match=message):
        fewer_graph_tokens(BATCH, chunk_tokens, graph_tokens, processes)
