"""Times several calls in turn."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True)
class Timed:
    """Seconds of each repetition, whose n-th follows the others' n-th, and the last result."""

    each: np.ndarray
    result: Any

    @property
    def seconds(self) -> float:
        """Their median."""
        return float(np.median(self.each))


def clock(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of one call, including its work on a GPU, and its result."""
    synchronise()
    started = time.perf_counter()
    result = call()
    synchronise()
    return time.perf_counter() - started, result


def in_turn(calls: Mapping[str, Callable[[], Any]], repetitions: int) -> dict[str, Timed]:
    """Time all calls in turn after one each that does not count, so that a busy moment affects all
    alike.
    """
    for call in calls.values():
        call()
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    results: dict[str, Any] = {}
    for _ in range(repetitions):
        for name, call in calls.items():
            took, results[name] = clock(call)
            seconds[name].append(took)
    return {name: Timed(np.array(seconds[name]), results[name]) for name in calls}


def synchronise() -> None:
    """Wait for the GPU, if there is one in use."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
