"""Standard input for commands of own labels."""

import os
import sys
from types import SimpleNamespace

import pytest


@pytest.fixture
def typed(monkeypatch):
    """Makes standard input give some bytes; the pipe through which they come."""

    def typed(content, ends=True):
        reads, writes = os.pipe()
        pipe = open(writes, "wb", buffering=0)  # noqa: SIM115
        pipe.write(content)
        if ends:
            pipe.close()
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=open(reads, "rb")))  # noqa: SIM115
        return pipe

    return typed
