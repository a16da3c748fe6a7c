"""Qdrant inside of this process, as its client offers it."""

import warnings
from contextlib import contextmanager

import pytest

RANKED = {"words": 0, "characters": 0}  # the other signals are what Qdrant ranks by


@contextmanager
def in_process():
    """Every server is one without a network, which forgets all at the end."""
    # Not above: its classes take seconds, and every process that runs tests reads this file.
    from qdrant_client import QdrantClient

    from muver.kb.index.qdrant import collection

    client = QdrantClient(":memory:")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Payload indexes|Local mode")
        patch.setattr(collection, "connect", lambda server: client)
        yield client
    client.close()


@pytest.fixture
def qdrant():
    """The server."""
    with in_process() as client:
        yield client
