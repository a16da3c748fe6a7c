"""A recording of the released system's form, made once from the tiny encoder."""

import copy

import pytest

from tests.reference import made


@pytest.fixture(scope="session")
def original(encoder):
    return made.make(encoder)


@pytest.fixture
def recording(original):
    """A copy that a test may damage."""
    return copy.deepcopy(original)
