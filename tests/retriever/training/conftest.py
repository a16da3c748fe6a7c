"""Training runs that are killed at a step."""

import pytest
from accelerate.state import AcceleratorState

from muver.retriever.training import loop


class Killed(Exception):
    pass


def kill_before(monkeypatch, step: int) -> None:
    """Let the run die at the start of a step, counted from 1 in this process."""
    original, calls = loop.backward_through_batch, []

    def dying(*args):
        calls.append(args)
        if len(calls) == step:
            raise Killed
        return original(*args)

    monkeypatch.setattr(loop, "backward_through_batch", dying)


@pytest.fixture
def killed(monkeypatch):
    """Calls a function that trains, and kills it at the start of a step."""

    def killed(step: int, training, *args, **settings) -> None:
        with monkeypatch.context() as patch, pytest.raises(Killed):
            kill_before(patch, step)
            training(*args, **settings)

    return killed


@pytest.fixture
def accelerator_state():
    """Accelerate allows one precision a process: its state is reset before and after."""
    AcceleratorState._reset_state(True)
    yield AcceleratorState
    AcceleratorState._reset_state(True)
